import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** Sets the DisruptionTarget condition on a pod that is about to be deleted, and a final phase if one is given. */
export async function recordDisruption(
  client: KubeClient,
  { metadata }: Pod,
  reason: string,
  message: string,
  nowMs: number,
  phase?: 'Failed',
): Promise<void> {
  const lastTransitionTime = formatTime(nowMs);
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime }];
  const value = { metadata: { uid: metadata.uid }, status: { conditions, ...(phase && { phase }) } };
  const options = { namespace: metadata.namespace ?? '', subresource: 'status' };
  try {
    await client.resource(Pods).patch(metadata.name ?? '', { type: 'strategic', value }, options);
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
  }
}

/** Deletes the pod with a UID precondition; not an error if it no longer exists or has been replaced. */
export async function deletePod(
  client: KubeClient,
  { metadata }: Pod,
  options: { readonly gracePeriodSeconds?: number } = {},
): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  try {
    await client.resource(Pods).delete(name, { namespace, ...(uid !== undefined && { uid }), ...options });
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
  }
}
