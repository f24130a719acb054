import { ResponseTooLargeError, TransportError } from '@fairway/kube/client/transport';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Problem } from '../problem.ts';

/** Thrown when a tenant's API server rejected a call or did not respond; any other ApiError is from Fairway's own API. */
export class TenantApiError extends Error {
  override readonly name = 'TenantApiError';
  declare readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Awaits a call to a tenant's API server, and wraps its error. */
export async function wrapTenantError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TransportError || error instanceof ResponseTooLargeError || isApiError(error))
      throw new TenantApiError(error);
    throw error;
  }
}

/** Maps an error from a tenant's API server to a problem; undefined for any other error. */
export function tenantProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof TenantApiError)) return undefined;
  if (error.cause instanceof TransportError) {
    // How the connection ended differs between attempts.
    const message = "the cluster's API server cannot be reached; Fairway retries at least every five minutes";
    return { reason: 'ControlPlaneFailed', message };
  }
  if (error.cause instanceof ResponseTooLargeError) {
    const message = `the responses of the cluster's API server are too large: delete objects that you no longer need (${error.message})`;
    return { reason: 'ControlPlaneFailed', message };
  }
  return {
    reason: 'ControlPlaneFailed',
    message: `the cluster's API server rejects Fairway's request: ${error.message}`,
  };
}
