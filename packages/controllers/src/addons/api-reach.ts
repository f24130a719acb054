import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';

const MAX_MESSAGE_LENGTH = 300;

/**
 * Why an API server cannot reach the pods that it should forward requests to; undefined if it can. `path`: a path of
 * the API server that leads to these pods. Rejects with a TenantApiError if the API server itself does not respond.
 */
export async function apiReachProblem(
  client: KubeClient,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await wrapTenantError(client.raw({ method: 'GET', path, signal }));
    await wrapTenantError(response.text());
    return undefined;
  } catch (error) {
    if (!(error instanceof TenantApiError) || !isApiError(error.cause)) throw error;
    const { message } = error.cause;
    return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  }
}
