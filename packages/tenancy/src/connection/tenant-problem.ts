import type { ConditionReason } from '@fairway/api/conditions';
import { TransportError } from '@fairway/kube/client/transport';
import { isApiError } from '@fairway/kube/object/api-error';

/** What it means that a tenant's API server refused a call or did not answer; undefined for any other error. */
export function tenantProblemOf(
  error: unknown,
): { readonly reason: ConditionReason; readonly message: string; readonly retryAfterMs?: number } | undefined {
  if (!(error instanceof TransportError) && !isApiError(error)) return undefined;
  return {
    reason: 'ControlPlaneFailed',
    message: `the API server of the cluster does not serve Fairway: ${error.message}`,
  };
}
