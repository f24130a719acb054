import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';
import { renderWebobProblem } from '../http/webob.ts';
import { type Access, canWrite, isAdmin } from '../identity/access.ts';

const FAULT_NAMES: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

const UNEXPECTED_MESSAGE = 'The server has either erred or is incapable of performing the requested operation.';

export function renderVolumeProblem(
  { status, message, type }: Problem,
  { accept }: { readonly accept: string },
): ApiResponse {
  // A request that matches no route is rejected before it reaches Cinder's own code.
  if (type === 'HTTPNotFound') return renderWebobProblem({ status, title: 'Not Found', message, accept });
  const text = status === 500 ? UNEXPECTED_MESSAGE : message;
  const retryAfter = status === 413 && type === 'OverQuota' ? { retryAfter: '0' } : {};
  return { status, body: { [FAULT_NAMES[status] ?? 'computeFault']: { code: status, message: text, ...retryAfter } } };
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

export function invalidInput(reason: string): ApiError {
  return badRequest(`Invalid input received: ${reason}`);
}

export function invalidVolume(reason: string): ApiError {
  return badRequest(`Invalid volume: ${reason}`);
}

export function notFound(message: string): ApiError {
  return new ApiError(404, message);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}

/** A 413 for an exceeded quota, with a Retry-After of zero. */
export function overQuota(kind: string, message: string): ApiError {
  return new ApiError(413, `${kind}: ${message}`, { type: 'OverQuota', headers: { 'Retry-After': '0' } });
}

export function disallowed(rule: string): ApiError {
  return new ApiError(403, `Policy doesn't allow ${rule} to be performed.`);
}

export function requireReaderRole(access: Access, rule: string): void {
  if (access.roles.length === 0) throw disallowed(rule);
}

export function requireWriterRole(access: Access, rule: string): void {
  if (!canWrite(access)) throw disallowed(rule);
}

export function requireAdmin(access: Access, rule: string): void {
  if (!isAdmin(access)) throw disallowed(rule);
}
