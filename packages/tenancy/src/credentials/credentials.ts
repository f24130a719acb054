import { CREDENTIAL_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import { type ClusterPki, createClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { parsePkiSecret, pkiSecret, pkiSecretName } from '@fairway/control-plane/pki/pki-secret';
import type { ClusterIdentity } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/**
 * The PKI (CAs and keys) of all clusters: created once, stored in Secrets that tenants can't read, and cached in
 * memory.
 */
export class ClusterCredentials {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, Promise<ClusterPki>>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The cluster's PKI, created if missing. */
  pki(cluster: Cluster): Promise<ClusterPki> {
    const identity = clusterIdentity(cluster);
    const known = this.#known.get(identity.uid);
    if (known) return known;
    const pendingLoads = this.#loadOrCreate(identity, cluster.spec.credentialName);
    this.#known.set(identity.uid, pendingLoads);
    pendingLoads.catch(() => this.#known.delete(identity.uid));
    return pendingLoads;
  }

  /** The cluster's PKI as currently stored, for processes that are not notified of changes; created if missing. */
  currentPki(cluster: Cluster): Promise<ClusterPki> {
    return this.#loadOrCreate(clusterIdentity(cluster), cluster.spec.credentialName);
  }

  /**
   * Changes the stored PKI in one write, which is rejected if another change was made concurrently. `change` gets the
   * stored PKI, and returns the same object to leave it unchanged. Rejects with the error from `change` or from the
   * API.
   */
  async change(cluster: Cluster, change: (pki: ClusterPki) => Promise<ClusterPki>): Promise<ClusterPki> {
    const identity = clusterIdentity(cluster);
    try {
      const changed = await this.#change(identity, change);
      this.#known.set(identity.uid, Promise.resolve(changed));
      return changed;
    } catch (error) {
      // The outcome of the write is unknown.
      this.#known.delete(identity.uid);
      throw error;
    }
  }

  /** Drops the cached PKI, because another process may change it. */
  forget(clusterUid: string): void {
    this.#known.delete(clusterUid);
  }

  /** Deletes the PKI, which invalidates every credential of the cluster. */
  async remove(clusterUid: string): Promise<void> {
    this.#known.delete(clusterUid);
    const options = { labelSelector: `fairway.dev/cluster-uid=${clusterUid}`, namespace: SYSTEM_NAMESPACE };
    await this.#client.resource(Secrets).deleteCollection(options);
  }

  async #change(identity: ClusterIdentity, change: (pki: ClusterPki) => Promise<ClusterPki>): Promise<ClusterPki> {
    const secrets = this.#client.resource(Secrets);
    const stored = await secrets.get(pkiSecretName(identity.uid), { namespace: SYSTEM_NAMESPACE });
    const pki = await parsePkiSecret(stored);
    const changed = await change(pki);
    if (changed === pki) return pki;
    const { data = {} } = await pkiSecret(identity, changed);
    const droppedKeys = Object.keys(stored.data ?? {}).filter((key) => !(key in data));
    const { name = '', resourceVersion } = stored.metadata;
    const value = { metadata: { resourceVersion }, data: { ...data, ...nullsFor(droppedKeys) } };
    await secrets.patch(name, { type: 'merge', value }, { namespace: SYSTEM_NAMESPACE });
    return changed;
  }

  async #loadOrCreate(identity: ClusterIdentity, credentialName = ''): Promise<ClusterPki> {
    const stored = await this.#load(identity.uid);
    if (stored) return stored;
    const pki = await createClusterPki(this.#clock);
    try {
      const secret = await pkiSecret(identity, pki);
      // Garbage collection uses this Secret to find the cluster's cloud resources once nothing else refers to them.
      const annotations = { ...secret.metadata.annotations, [CREDENTIAL_ANNOTATION]: credentialName };
      await this.#client.resource(Secrets).create({ ...secret, metadata: { ...secret.metadata, annotations } });
      return pki;
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const existingPki = await this.#load(identity.uid);
      if (existingPki === undefined) throw error;
      return existingPki;
    }
  }

  async #load(clusterUid: string): Promise<ClusterPki | undefined> {
    try {
      const options = { namespace: SYSTEM_NAMESPACE };
      return await parsePkiSecret(await this.#client.resource(Secrets).get(pkiSecretName(clusterUid), options));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

function nullsFor(keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

export function clusterIdentity(cluster: Cluster): ClusterIdentity {
  const { metadata } = cluster;
  return { uid: identityOf(cluster), name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
}
