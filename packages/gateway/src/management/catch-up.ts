import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

export interface CatchUpOptions {
  /** A reader that is as current as its watches. */
  readonly reader: ObjectReader;
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** A healthy watch lags by milliseconds. */
const RESYNC_INTERVAL_MS = 20;
const PATIENCE_MS = 2_000;

/**
 * Waits until a watch-based reader shows the namespace, and the given CloudCredential, in their current state: they may have been applied
 * right before the request that refers to them. Gives up after 2 s, and the request proceeds with what the reader has.
 */
export function catchUpWith({
  reader,
  client,
  clock,
}: CatchUpOptions): (namespace: string, credentialName: string | undefined) => Promise<void> {
  async function seen<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<void> {
    const current = await stored(client, type, namespace, name);
    const deadlineMs = clock.now() + PATIENCE_MS;
    const isThere = () =>
      reader.get(type, namespace, name)?.metadata.resourceVersion === current?.metadata.resourceVersion;
    while (!isThere() && clock.now() < deadlineMs) await clock.sleep(RESYNC_INTERVAL_MS);
  }
  return async (namespace, credentialName) => {
    await seen(Namespaces, '', namespace);
    if (credentialName !== undefined) await seen(cloudCredentials, namespace, credentialName);
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
