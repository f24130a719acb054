import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';
import { type Access, canSee, isAdmin, isSystemReader } from './access.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

export function titleOf(status: number): string {
  return TITLES[status] ?? 'Error';
}

export function renderIdentityProblem({ status, message }: Problem): ApiResponse {
  return { status, body: { error: { code: status, message, title: titleOf(status) } } };
}

export const UNAUTHENTICATED = 'The request you have made requires authentication.';

export function unauthorized(): ApiError {
  return new ApiError(401, UNAUTHENTICATED);
}

/** The beginning of Keystone's 403 message; a reason follows. */
export const NOT_AUTHORIZED = 'You are not authorized to perform the requested action';

export function forbidden(action: string): ApiError {
  return new ApiError(403, `${NOT_AUTHORIZED}: identity:${action}.`);
}

export function notFound(kind: string, id: string): ApiError {
  return new ApiError(404, `Could not find ${kind}: ${id}.`);
}

export function malformed(attribute: string, target: string): ApiError {
  return new ApiError(
    400,
    `Expecting to find ${attribute} in ${target}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
  );
}

export function requireAdmin(access: Access, action: string): void {
  if (!isAdmin(access)) throw forbidden(action);
}

export function requireServiceOrAdmin(access: Access, action: string): void {
  if (!access.roles.includes('service') && !isAdmin(access)) throw forbidden(action);
}

export function requireSystemReader(access: Access, action: string): void {
  if (!isSystemReader(access)) throw forbidden(action);
}

/** Keystone's owner rule: what users may do with their own account. */
export function requireSelfOrAdmin(access: Access, userId: string, action: string): void {
  if (access.userId !== userId && !isAdmin(access)) throw forbidden(action);
}

export function requireProject(access: Access, projectId: string, action: string): void {
  if (!canSee(access, projectId) && !isSystemReader(access)) throw forbidden(action);
}
