import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

export interface CacheSyncOptions {
  /** A reader whose data is as current as its watches. */
  readonly reader: ObjectReader;
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** A healthy watch lags by milliseconds. */
const RESYNC_INTERVAL_MS = 20;
const SYNC_TIMEOUT_MS = 2_000;

/**
 * Waits until a watch-based reader reflects the current state of the namespace and the given CloudCredential, because
 * both may have been applied right before the request that refers to them. Gives up after 2 s; the request then
 * proceeds with the reader's state.
 */
export function newCacheSync({
  reader,
  client,
  clock,
}: CacheSyncOptions): (namespace: string, credentialName: string | undefined) => Promise<void> {
  async function waitUntilCached<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
  ): Promise<void> {
    const current = await stored(client, type, namespace, name);
    const deadlineMs = clock.now() + SYNC_TIMEOUT_MS;
    const isCached = () =>
      reader.get(type, namespace, name)?.metadata.resourceVersion === current?.metadata.resourceVersion;
    while (!isCached() && clock.now() < deadlineMs) await clock.sleep(RESYNC_INTERVAL_MS);
  }
  return async (namespace, credentialName) => {
    await waitUntilCached(Namespaces, '', namespace);
    if (credentialName !== undefined) await waitUntilCached(cloudCredentials, namespace, credentialName);
  };
}

async function stored<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.resource(type).get(name, namespace === '' ? {} : { namespace });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
