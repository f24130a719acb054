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

export function renderShareProblem(
  { status, message, type }: Problem,
  { accept }: { readonly accept: string },
): ApiResponse {
  // Unknown routes and unsupported methods are rejected before they reach Manila's own code.
  if (type === 'HTTPNotFound' || status === 405)
    return renderWebobProblem({
      status: 404,
      title: 'Not Found',
      message: 'The resource could not be found.',
      accept,
    });
  const text = status === 500 ? UNEXPECTED_MESSAGE : message;
  const retryAfter = status === 413 ? { retryAfter: '0' } : {};
  return { status, body: { [FAULT_NAMES[status] ?? 'computeFault']: { code: status, message: text, ...retryAfter } } };
}

export const MALFORMED_BODY =
  'The server could not comply with the request since it is either malformed or otherwise incorrect.';

export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

export function invalidInput(reason: string): ApiError {
  return badRequest(`Invalid input received: ${reason}`);
}

export function forbidden(message = 'Access was denied to this resource.'): ApiError {
  return new ApiError(403, message);
}

export function notFound(message = 'The resource could not be found.'): ApiError {
  return new ApiError(404, message);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}

export function unprocessableError(message = 'Unable to process the contained instructions'): ApiError {
  return new ApiError(422, message);
}

/** The error for a field that Manila reads without checking that it exists. */
export function unexpectedError(): ApiError {
  return new ApiError(500, UNEXPECTED_MESSAGE);
}

/** A 413 for an exceeded quota, with a Retry-After of zero. */
export function overQuota(kind: string, message: string): ApiError {
  return new ApiError(413, `${kind}: ${message}`, { headers: { 'Retry-After': '0' } });
}

export function requireReaderRole(access: Access): void {
  if (access.roles.length === 0) throw forbidden();
}

export function requireWriterRole(access: Access): void {
  if (!canWrite(access)) throw forbidden();
}

export function requireAdmin(access: Access): void {
  if (!isAdmin(access)) throw forbidden();
}
