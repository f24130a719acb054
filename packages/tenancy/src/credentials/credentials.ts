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

/** The PKI (CAs and keys) of all clusters: created once, stored in Secrets that tenants can't read, cached in memory. */
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
    const loading = this.#loadOrCreate(identity, cluster.spec.credentialName);
    this.#known.set(identity.uid, loading);
    loading.catch(() => this.#known.delete(identity.uid));
    return loading;
  }

  /** The cluster's PKI as it is stored now, for processes that don't hear of its changes; created if missing. */
  currentPki(cluster: Cluster): Promise<ClusterPki> {
    return this.#loadOrCreate(clusterIdentity(cluster), cluster.spec.credentialName);
  }

  /**
   * Changes the stored PKI, in one write that is refused if anybody has changed it meanwhile; `change` gets what is stored now, and returns the same object to
   * leave it as it is. What it rejects with is passed on, and the API's error.
   */
  async change(cluster: Cluster, change: (pki: ClusterPki) => Promise<ClusterPki>): Promise<ClusterPki> {
    const identity = clusterIdentity(cluster);
    try {
      const changed = await this.#change(identity, change);
      this.#known.set(identity.uid, Promise.resolve(changed));
      return changed;
    } catch (error) {
      // Nobody knows what became of the write.
      this.#known.delete(identity.uid);
      throw error;
    }
  }

  /** Drops the cached PKI: another process may change it. */
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
    const dropped = Object.keys(stored.data ?? {}).filter((key) => !(key in data));
    const { name = '', resourceVersion } = stored.metadata;
    const value = { metadata: { resourceVersion }, data: { ...data, ...nulls(dropped) } };
    await secrets.patch(name, { type: 'merge', value }, { namespace: SYSTEM_NAMESPACE });
    return changed;
  }

  async #loadOrCreate(identity: ClusterIdentity, credentialName = ''): Promise<ClusterPki> {
    const stored = await this.#load(identity.uid);
    if (stored) return stored;
    const pki = await createClusterPki(this.#clock);
    try {
      const secret = await pkiSecret(identity, pki);
      // What the cluster has in the cloud is found by it when nothing else tells any more.
      const annotations = { ...secret.metadata.annotations, [CREDENTIAL_ANNOTATION]: credentialName };
      await this.#client.resource(Secrets).create({ ...secret, metadata: { ...secret.metadata, annotations } });
      return pki;
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const winner = await this.#load(identity.uid);
      if (winner === undefined) throw error;
      return winner;
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

function nulls(keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

export function clusterIdentity(cluster: Cluster): ClusterIdentity {
  const { metadata } = cluster;
  return { uid: identityOf(cluster), name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
}
