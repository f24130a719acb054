import { BackoffError, lastFailure, retryAtMs } from '@fairway/kube/controller/attempts';
import { isOpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { status } from '@grpc/grpc-js';
import { CallError } from './call-error.ts';

/**
 * Follows https://github.com/container-storage-interface/spec/blob/master/spec.md#error-scheme. External-provisioner
 * forgets a volume after a failed call, unless the code is CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE,
 * RESOURCE_EXHAUSTED or ABORTED. Errors after which the volume may or may not exist therefore map to one of these.
 */
const CODES: Readonly<Record<OpenStackErrorKind, status>> = {
  notFound: status.NOT_FOUND,
  conflict: status.ABORTED,
  quotaExceeded: status.RESOURCE_EXHAUSTED,
  rateLimited: status.UNAVAILABLE,
  unauthorized: status.UNAVAILABLE,
  forbidden: status.UNAVAILABLE,
  badRequest: status.FAILED_PRECONDITION,
  outOfCapacity: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  timeout: status.UNAVAILABLE,
  network: status.UNAVAILABLE,
};

/** Nova's 403 for a server that already has as many disks as its flavor allows. */
const TOO_MANY_DISKS = /maximum allowed number of disk devices/i;

/** The error for callers; undefined for an internal error, which is only logged. */
export function toCallError(error: unknown, nowMs: number): CallError | undefined {
  if (error instanceof CallError) return error;
  const failure = lastFailure(error);
  const known = fromCloudError(failure) ?? (failure instanceof ProblemError ? fromProblem(failure) : undefined);
  if (known === undefined || !(error instanceof BackoffError)) return known;
  const seconds = Math.max(Math.ceil(((retryAtMs(error) ?? nowMs) - nowMs) / 1000), 1);
  return new CallError(known.code, `${known.message}; it is retried in ${seconds} s at the earliest`, error);
}

function fromCloudError(error: unknown): CallError | undefined {
  if (!isOpenStackError(error)) return undefined;
  const code = TOO_MANY_DISKS.test(error.detail) ? status.RESOURCE_EXHAUSTED : CODES[error.kind];
  return new CallError(code, error.message, error);
}

function fromProblem(problem: ProblemError): CallError {
  return new CallError(status.INTERNAL, problem.message, problem);
}
