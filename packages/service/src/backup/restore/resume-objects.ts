import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { inParallel } from '@fairway/base/in-parallel';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { backedUpKind } from '../backed-up-kinds.ts';
import { hasIdentity, isBeingRestored, userPauseOf } from './desired-object.ts';

const CONCURRENCY = 16;
/** A cluster's annotation also pauses its pools and machines, so it is removed last: all of them resume together. */
const ORDER: readonly ResourceType[] = [cloudCredentials, machines, nodePools, clusters];

/**
 * Resumes reconciliation of restored objects. First, repeats deletions that were in progress; then removes pauses,
 * except those that users had set. `keepPaused`: clusters stay paused, as if set by a user. May be killed at any point
 * and called again.
 */
export async function resumeObjects(
  client: KubeClient,
  sources: readonly KubeObject[],
  { keepPaused, signal }: { readonly keepPaused: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const ordered = ORDER.flatMap((type) =>
    sources.filter((source) => backedUpKind(source) === type).map((source) => ({ type, source })),
  );
  const deletedObjects = ordered.filter(({ source }) => source.metadata.deletionTimestamp !== undefined);
  await inParallel(deletedObjects, CONCURRENCY, ({ type, source }) => deleteRestored(client, type, source, signal));
  for (const [type, objectsOfType] of Map.groupBy(ordered, (each) => each.type)) {
    await inParallel(objectsOfType, CONCURRENCY, ({ source }) => {
      const value = userPauseOf(source) ?? (keepPaused && type === clusters ? 'true' : null);
      return resume(client, type, source, value, signal);
    });
  }
}

async function deleteRestored(
  client: KubeClient,
  type: ResourceType,
  source: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const restored = await findRestored(client, type, source, signal);
  if (restored === undefined) return;
  const { name = '', namespace, uid } = restored.metadata;
  const where = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  await client
    .resource(type)
    .delete(name, { ...where, signal })
    .catch(ignoreNotFound);
}

async function resume(
  client: KubeClient,
  type: ResourceType,
  source: KubeObject,
  annotation: string | null,
  signal: AbortSignal,
): Promise<void> {
  const restored = await findRestored(client, type, source, signal);
  if (restored === undefined) return;
  const { name = '', namespace, uid } = restored.metadata;
  const value = { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: annotation } } };
  const options = { fieldManager: 'fairway-restore', signal, ...(namespace !== undefined && { namespace }) };
  await client.resource(type).patch(name, { type: 'merge', value }, options).catch(ignoreNotFound);
}

/**
 * The object that was created for this one, if the restore still pauses it; its owners may have deleted it in the
 * meantime.
 */
async function findRestored(
  client: KubeClient,
  type: ResourceType,
  source: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { name = '', namespace } = source.metadata;
  try {
    const found = await client.resource(type).get(name, { signal, ...(namespace !== undefined && { namespace }) });
    const isSame = !hasIdentity(type) || identityOf(found) === identityOf(source);
    return isSame && isBeingRestored(found) ? found : undefined;
  } catch (error) {
    return ignoreNotFound(error);
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, 'NotFound')) throw error;
}
