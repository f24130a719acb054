import { NOVA_FAULT_NAMES } from '@fairway/openstack/types/error-body';
import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';
import { renderWebobProblem } from '../http/webob.ts';
import { type Access, canWrite, isAdmin } from '../identity/access.ts';

const FAULT_NAMES: Readonly<Record<number, string>> = NOVA_FAULT_NAMES;

const UNEXPECTED_MESSAGE =
  'Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.';

export function renderComputeProblem(
  { status, message, type }: Problem,
  { accept }: { readonly accept: string },
): ApiResponse {
  // A request that matches no route is rejected before it reaches Nova's own code.
  if (type === 'HTTPNotFound') return renderWebobProblem({ status, title: 'Not Found', message, accept });
  const text = status === 500 ? UNEXPECTED_MESSAGE : message;
  return { status, body: { [FAULT_NAMES[status] ?? 'computeFault']: { code: status, message: text } } };
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, message);
}

export function notFound(message: string): ApiError {
  return new ApiError(404, message);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}

function disallowed(rule: string): ApiError {
  return forbidden(`Policy doesn't allow os_compute_api:${rule} to be performed.`);
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
