import { actionRequiredBy, ConditionReason, ConditionType } from '@fairway/api/conditions';
import { FINALIZER, SKIP_REVOCATION_ANNOTATION } from '@fairway/api/group';
import {
  type CloudCredential,
  type CloudCredentialStatus,
  cloudCredentials,
} from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition, isConditionTrue, removeCondition, setCondition } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Condition } from '@fairway/kube/object/meta';
import { clustersByCredential } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { type Failure, failureOf } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { ControllerDependencies } from '../dependencies.ts';
import {
  type CaSecretRecord,
  listCaSecrets,
  namespaceOf,
  recordsWithoutCluster,
} from '../gc/missing-clusters/missing-clusters.ts';
import { ensurePausedCondition } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { checkCredential, type KnownExpiries } from './credential-check.ts';
import { expiryCondition, isExpired, nextNoticeInMs } from './expiry.ts';
import { phaseOf } from './phase.ts';
import { isRevocationSkipped, revocationAdvice, revoke } from './revocation.ts';

type CredentialDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'projects' | 'events' | 'clock' | 'attempts' | 'credentialCheckMs'
>;

const MISSING_RETRY_MS = 60_000;

/**
 * How often a working credential is checked with Keystone. Services keep accepting a revoked token for minutes, so
 * relying on them would delay the report.
 */
export const DEFAULT_CREDENTIAL_CHECK_MS = 60_000;

/** Reports whether Keystone accepts each CloudCredential and whether clusters use it, and revokes it in Keystone when it is deleted. */
export class CredentialReconciler {
  readonly #dependencies: CredentialDependencies;
  readonly #expiries: KnownExpiries = new Map();

  constructor(dependencies: CredentialDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, client, projects, clock } = this.#dependencies;
    const found = cache.credentials.get(key);
    if (found === undefined) projects.forgetCredential(key);
    const active =
      found && (await ensurePausedCondition(client.resource(cloudCredentials), found, undefined, this.#dependencies));
    if (active === undefined) return {};
    const credential = await ensureFinalizer(client.resource(cloudCredentials), active, FINALIZER);
    const { namespace = '', name = '' } = credential.metadata;
    const cloud = projects.forNamespace(namespace, name);
    if (context.userTriggered) attempts.retryNow((item) => item === uidOf(credential));
    const pass = new Pass(context, clock);
    if (credential.metadata.deletionTimestamp !== undefined) return this.#delete(credential, cloud, pass);

    const updated = await this.#updatePhase(credential);
    const shouldDelete = updated.status?.phase === 'Released' && updated.spec.reclaimPolicy === 'Delete';
    return shouldDelete ? this.#reclaim(updated, pass) : this.#check(updated, cloud, pass);
  }

  /** Runs before anything slow: use by a cluster must be recorded before the cluster is deleted. */
  async #updatePhase(credential: CloudCredential): Promise<CloudCredential> {
    const { cache, client } = this.#dependencies;
    const users = usersOf(credential, cache.clusters.find(clustersByCredential, keyOf(credential)));
    const phase = phaseOf(credential.status?.phase, users.length);
    if (phase === credential.status?.phase) return credential;
    const status = { ...credential.status, phase };
    await writeStatus(client.resource(cloudCredentials), credential, status);
    return { ...credential, status };
  }

  async #check(credential: CloudCredential, cloud: ProjectCloud | undefined, pass: Pass): Promise<Result> {
    const { clock, credentialCheckMs = DEFAULT_CREDENTIAL_CHECK_MS } = this.#dependencies;
    const times = { nowMs: clock.now(), signal: pass.signal };
    const { value, failure } = await pass.run(() => checkCredential(credential, cloud, this.#expiries, times));
    // Whatever prevented the check, Keystone has not rejected the credential, so clusters keep using it.
    const condition = failure ? { ...failure, status: 'Unknown' as const } : value.condition;
    const isReady = condition.status === 'True';
    // Clusters whose requests were rejected until now retry immediately.
    if (isReady && !isConditionTrue(credential.status?.conditions, ConditionType.Ready)) cloud?.retryNow();
    const isRefused = !isReady && failure === undefined && actionRequiredBy(condition.reason) !== 'cloud';
    // Checked twice as often until the cloud responds again.
    if (!isRefused) pass.requeueAfter(isReady ? credentialCheckMs : credentialCheckMs / 2);
    pass.requeueAfter(nextNoticeInMs((value?.known ?? credential.status)?.expiresAt, clock.now()));
    const result = await pass.end(async () => {
      const status = await this.#write(credential, condition, value?.known);
      recordExpiryEvents(this.#dependencies.events, credential, status);
    });
    // A rejected credential is checked just as often at first, in case its Secret was fixed, then less and less often,
    // because each check is a login.
    return isRefused ? { ...result, failure: { minimumMs: credentialCheckMs / 2 } } : result;
  }

  async #write(
    credential: CloudCredential,
    { status, reason, message }: Pick<Condition, 'status' | 'reason' | 'message'>,
    known?: CloudCredentialStatus,
  ): Promise<CloudCredentialStatus> {
    const { client, clock } = this.#dependencies;
    const { generation = 0 } = credential.metadata;
    const previous = credential.status;
    const condition = { type: ConditionType.Ready, observedGeneration: generation, status, reason, message };
    const expiryState = expiryCondition({ spec: credential.spec, status: known ?? previous ?? {} }, clock.now());
    const others =
      expiryState === undefined
        ? removeCondition(previous?.conditions, ConditionType.ExpiresSoon)
        : setCondition(previous?.conditions, { ...expiryState, observedGeneration: generation }, clock.now());
    const next: CloudCredentialStatus = {
      ...(known ?? previous),
      ...(previous?.phase && { phase: previous.phase }),
      observedGeneration: generation,
      conditions: [...setCondition(others, condition, clock.now())],
    };
    await writeStatus(client.resource(cloudCredentials), credential, next);
    return next;
  }

  /** Deletes a credential that no cluster uses any longer. */
  async #reclaim(credential: CloudCredential, pass: Pass): Promise<Result> {
    const { attempts, client } = this.#dependencies;
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'reclaim', item: uidOf(credential) }, async () => {
        const users = await this.#currentUsers(credential, pass.signal);
        if ((await this.#missingClusters(credential)).length > 0) return pass.requeueAfter(MISSING_RETRY_MS);
        // The cache will receive these updates.
        if (users.length > 0) return;
        pass.signal.throwIfAborted();
        const { namespace = '', name = '', uid = '' } = credential.metadata;
        await ignoreDeleted(client.resource(cloudCredentials).delete(name, { namespace, uid }));
      }),
    );
    return pass.end(async () => {
      if (failure) await this.#recordNotRevoked(credential, failure);
    });
  }

  async #delete(credential: CloudCredential, cloud: ProjectCloud | undefined, pass: Pass): Promise<Result> {
    if (!hasFinalizer(credential, FINALIZER)) return {};
    const { attempts, client } = this.#dependencies;
    const { value: state, failure } = await pass.run(() => this.#revokeAndRelease(credential, cloud, pass));
    if (state === 'gone') {
      this.#expiries.delete(credential.status?.credentialID ?? '');
      attempts.forget(uidOf(credential));
      pass.signal.throwIfAborted();
      await removeFinalizer(client.resource(cloudCredentials), credential, FINALIZER);
      return {};
    }
    return pass.end(async () => {
      if (failure) await this.#recordNotRevoked(credential, failure);
    });
  }

  /**
   * Reports why a credential could not be revoked, and how to skip the revocation: an unrevoked credential remains
   * usable by anyone who has a copy.
   */
  async #recordNotRevoked(credential: CloudCredential, { party, reason, message }: Failure): Promise<void> {
    const { name = '', namespace = '' } = credential.metadata;
    const skipCommand = `kubectl annotate cloudcredential ${name} -n ${namespace} ${SKIP_REVOCATION_ANNOTATION}=true`;
    const remedy = `to delete it anyway: ${skipCommand}, and revoke it yourself: ${revocationAdvice(credential.status)}`;
    const eventMessage =
      party === 'cloud'
        ? `it is not revoked yet, and is retained until it is: ${message}; ${remedy}`
        : `it is not deleted yet: ${message}`;
    await this.#write(credential, { status: 'False', reason, message: eventMessage });
  }

  /** Whether it was revoked, or what it is waiting for. */
  async #revokeAndRelease(
    credential: CloudCredential,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<'gone' | 'in use'> {
    const { events } = this.#dependencies;
    const users = await this.#currentUsers(credential, pass.signal);
    if (users.length > 0) {
      events.warning(
        credential,
        'ResourceInUse',
        `it will be deleted when no cluster uses it anymore: ${users.join(', ')}`,
      );
      return 'in use';
    }
    const missing = await this.#missingClusters(credential);
    if (missing.length > 0) {
      const what = missing.map(({ clusterKey }) => clusterKey).join(', ');
      events.warning(
        credential,
        'ResourceInUse',
        `it will be deleted when the remaining resources of deleted clusters are gone: ${what}`,
      );
      pass.requeueAfter(MISSING_RETRY_MS);
      return 'in use';
    }
    pass.signal.throwIfAborted();
    const refusal = await this.#revoke(credential, cloud, pass.signal);
    if (refusal !== undefined) {
      const advice = `its owner must revoke it: ${revocationAdvice(credential.status)}`;
      const message = `Fairway deleted its copy of the credential but could not revoke it (${refusal}); ${advice}`;
      // Stored before the credential is deleted, because nothing else will report this.
      await events.once(credential, 'Warning', { reason: 'NotRevoked', message, id: 'NotRevoked' });
    }
    return 'gone';
  }

  /**
   * Why the credential permanently remains unrevoked; undefined once it is worthless. Rejects with transient errors.
   */
  async #revoke(
    credential: CloudCredential,
    cloud: ProjectCloud | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { attempts, clock } = this.#dependencies;
    const { spec, status } = credential;
    const noCloud = `spec.cloud: the operator's clouds.yaml has no cloud ${spec.cloud}`;
    // The credential was never valid.
    if (cloud === undefined && status?.credentialID === undefined) return noCloud;
    try {
      return await attempts.withBackoff({ kind: 'revocation', item: uidOf(credential) }, async () => {
        if (cloud) return revoke(cloud.client, { hasExpired: isExpired(status?.expiresAt, clock.now()), signal });
        throw new ProblemError({ reason: ConditionReason.ConfigurationInvalid, message: noCloud });
      });
    } catch (error) {
      const { party, message } = failureOf(error, clock.now());
      if (signal.aborted || party !== 'cloud' || !isRevocationSkipped(credential)) throw error;
      return message;
    }
  }

  /**
   * Clusters in the namespace that were removed without Fairway: their cloud resources may be reachable only with this
   * credential.
   */
  async #missingClusters({ metadata }: CloudCredential): Promise<readonly CaSecretRecord[]> {
    const { client } = this.#dependencies;
    const records = (await listCaSecrets(client)).filter(
      ({ clusterKey }) => namespaceOf(clusterKey) === metadata.namespace,
    );
    return (await recordsWithoutCluster(client, records)).filter(({ isHeld }) => !isHeld);
  }

  /** Reads from the API, not the cache: revocation cannot be undone. */
  async #currentUsers(credential: CloudCredential, signal: AbortSignal): Promise<readonly string[]> {
    const { namespace = '' } = credential.metadata;
    const { items } = await this.#dependencies.client.resource(clusters).list({ namespace, signal });
    return usersOf(credential, items);
  }
}

/**
 * Records an Event for each expiry notice, and one when the credential stops working for a reason that its owner or the
 * operator can fix. The status contains what was recorded, so restarts do not repeat the Events.
 */
function recordExpiryEvents(
  events: ControllerDependencies['events'],
  credential: CloudCredential,
  { conditions }: CloudCredentialStatus,
): void {
  const before = credential.status?.conditions;
  const soon = findCondition(conditions, ConditionType.ExpiresSoon);
  if (soon && soon.message !== findCondition(before, soon.type)?.message) {
    events.warning(credential, soon.reason, soon.message);
  }
  const ready = findCondition(conditions, ConditionType.Ready);
  if (ready?.status !== 'False' || actionRequiredBy(ready.reason as ConditionReason) === 'cloud') return;
  const last = findCondition(before, ConditionType.Ready);
  if (last?.status !== 'False' || last.reason !== ready.reason) events.warning(credential, ready.reason, ready.message);
}

function uidOf({ metadata }: CloudCredential): string {
  return metadata.uid ?? '';
}

function usersOf({ metadata }: CloudCredential, all: readonly Cluster[]): readonly string[] {
  return all
    .filter(
      (cluster) => cluster.metadata.namespace === metadata.namespace && cluster.spec.credentialName === metadata.name,
    )
    .map((cluster) => cluster.metadata.name ?? '');
}
