import { TransportError } from '@fairway/kube/client/transport';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Problem } from '../problem.ts';

/** Thrown when a tenant's API server refused a call or did not answer: an ApiError that is not one of these is of Fairway's own API. */
export class TenantApiError extends Error {
  override readonly name = 'TenantApiError';
  declare readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Awaits a call to a tenant's API server, and says in the error that it was one. */
export async function ofTenant<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TransportError || isApiError(error)) throw new TenantApiError(error);
    throw error;
  }
}

/** What it means that a tenant's API server refused a call or did not answer; undefined for any other error. */
export function tenantProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof TenantApiError)) return undefined;
  return {
    reason: 'ControlPlaneFailed',
    message: `the API server of the cluster does not serve Fairway: ${error.message}`,
  };
}
