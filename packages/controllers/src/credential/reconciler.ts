import { ConditionType } from '@fairway/api/conditions';
import { FINALIZER } from '@fairway/api/group';
import {
  type CloudCredential,
  type CloudCredentialStatus,
  cloudCredentials,
} from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue, setCondition } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { isApiError } from '@fairway/kube/object/api-error';
import { clustersByCredential } from '@fairway/tenancy/cache-indexes';
import type { Clouds, ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ensurePausedCondition } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { listRoots, namespaceOf, type RootsRecord, withoutCluster } from '../vanished/vanished-clusters.ts';
import { phaseOf } from './phase.ts';
import { revocationAdvice, revoke } from './revocation.ts';
import { judge, type KnownExpiries } from './verdict.ts';

export interface CredentialDependencies {
  readonly client: KubeClient;
  readonly cache: { readonly clusters: Informer<Cluster>; readonly credentials: Informer<CloudCredential> };
  readonly clouds: Clouds;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** See {@link DEFAULT_CREDENTIAL_CHECK_MS}. */
  readonly credentialCheckMs?: number | undefined;
}

const VANISHED_RETRY_MS = 60_000;

/** How often Keystone is asked about a credential that works. Services take a revoked token for minutes, so their word would come late. */
export const DEFAULT_CREDENTIAL_CHECK_MS = 60_000;

/** Says of each CloudCredential whether Keystone accepts it and whether clusters use it, and revokes it there when it goes. */
export class CredentialReconciler {
  readonly #dependencies: CredentialDependencies;
  readonly #expiries: KnownExpiries = new Map();

  constructor(dependencies: CredentialDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string): Promise<Result> {
    const { cache, client, clouds, clock } = this.#dependencies;
    const found = cache.credentials.get(key);
    if (found === undefined) clouds.forgetCredential(key);
    const active =
      found && (await ensurePausedCondition(client.resource(cloudCredentials), found, undefined, clock.now()));
    if (active === undefined) return {};
    const credential = await ensureFinalizer(client.resource(cloudCredentials), active, FINALIZER);
    const { namespace = '', name = '' } = credential.metadata;
    const cloud = clouds.forNamespace(namespace, name);
    if (credential.metadata.deletionTimestamp !== undefined) return this.#delete(credential, cloud);

    const noted = await this.#notePhase(credential);
    if (noted.status?.phase === 'Released' && noted.spec.reclaimPolicy === 'Delete') return this.#reclaim(noted);
    return this.#check(noted, cloud);
  }

  /** Before all that takes long: that a cluster used it must be known when the cluster is gone, whatever happens until then. */
  async #notePhase(credential: CloudCredential): Promise<CloudCredential> {
    const { cache, client } = this.#dependencies;
    const users = usersOf(credential, cache.clusters.find(clustersByCredential, keyOf(credential)));
    const phase = phaseOf(credential.status?.phase, users.length);
    if (phase === credential.status?.phase) return credential;
    const status = { ...credential.status, phase };
    await writeStatus(client.resource(cloudCredentials), credential, status);
    return { ...credential, status };
  }

  async #check(credential: CloudCredential, cloud: ProjectCloud | undefined): Promise<Result> {
    const { client, clock, credentialCheckMs = DEFAULT_CREDENTIAL_CHECK_MS } = this.#dependencies;
    const { generation = 0 } = credential.metadata;
    const previous = credential.status;
    const verdict = await judge(credential, cloud, this.#expiries, clock.now());
    const condition = { type: ConditionType.Ready, observedGeneration: generation, ...verdict.condition };
    const status: CloudCredentialStatus = {
      ...(verdict.known ?? previous),
      ...(previous?.phase && { phase: previous.phase }),
      observedGeneration: generation,
      conditions: [...setCondition(previous?.conditions, condition, clock.now())],
    };
    const isReady = condition.status === 'True';
    // Who was refused until now asks again at once.
    if (isReady && !isConditionTrue(previous?.conditions, ConditionType.Ready)) cloud?.retryNow();
    await writeStatus(client.resource(cloudCredentials), credential, status);
    // One that does not work is tried twice as often: its Secret may have been fixed.
    return { requeueAfterMs: isReady ? credentialCheckMs : credentialCheckMs / 2 };
  }

  /** Deletes a credential that its clusters have left. */
  async #reclaim(credential: CloudCredential): Promise<Result> {
    const users = await this.#usersNow(credential);
    if ((await this.#vanishedNow(credential)).length > 0) return { requeueAfterMs: VANISHED_RETRY_MS };
    // The cache will hear of them.
    if (users.length > 0) return {};
    const { namespace = '', name = '', uid = '' } = credential.metadata;
    try {
      await this.#dependencies.client.resource(cloudCredentials).delete(name, { namespace, uid });
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
    }
    return {};
  }

  async #delete(credential: CloudCredential, cloud: ProjectCloud | undefined): Promise<Result> {
    if (!hasFinalizer(credential, FINALIZER)) return {};
    const { client, events } = this.#dependencies;
    const users = await this.#usersNow(credential);
    if (users.length > 0) {
      events.warning(credential, 'ResourceInUse', `deleted when no cluster needs it any more: ${users.join(', ')}`);
      return {};
    }
    const vanished = await this.#vanishedNow(credential);
    if (vanished.length > 0) {
      const what = vanished.map(({ clusterKey }) => clusterKey).join(', ');
      events.warning(
        credential,
        'ResourceInUse',
        `deleted when what is left of clusters that vanished is gone: ${what}`,
      );
      return { requeueAfterMs: VANISHED_RETRY_MS };
    }
    const refusal = cloud && (await revoke(cloud.client));
    if (refusal !== undefined) {
      const advice = `its owner can: ${revocationAdvice(credential.status)}`;
      events.warning(
        credential,
        'NotRevoked',
        `Fairway has forgotten the credential and could not revoke it (${refusal}); ${advice}`,
      );
    }
    this.#expiries.delete(credential.status?.credentialID ?? '');
    await removeFinalizer(client.resource(cloudCredentials), credential, FINALIZER);
    return {};
  }

  /** Clusters of the namespace whose Cluster went without Fairway: what they have in the cloud may be reached with this credential alone. */
  async #vanishedNow({ metadata }: CloudCredential): Promise<readonly RootsRecord[]> {
    const { client } = this.#dependencies;
    const records = (await listRoots(client)).filter(
      ({ clusterKey }) => namespaceOf(clusterKey) === metadata.namespace,
    );
    return (await withoutCluster(client, records)).filter(({ isHeld }) => !isHeld);
  }

  /** Not as the cache knows it: what is revoked can not be brought back. */
  async #usersNow(credential: CloudCredential): Promise<readonly string[]> {
    const { namespace = '' } = credential.metadata;
    const { items } = await this.#dependencies.client.resource(clusters).list({ namespace });
    return usersOf(credential, items);
  }
}

function usersOf({ metadata }: CloudCredential, all: readonly Cluster[]): readonly string[] {
  return all
    .filter(
      (cluster) => cluster.metadata.namespace === metadata.namespace && cluster.spec.credentialName === metadata.name,
    )
    .map((cluster) => cluster.metadata.name ?? '');
}
