import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { FINALIZER } from '@fairway/api/group';
import {
  type CloudCredential,
  type CloudCredentialStatus,
  cloudCredentials,
} from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { type Clock, formatTime } from '@fairway/kube/clock';
import { isConditionTrue, setCondition } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Token } from '@fairway/openstack/types/identity';
import { cloudProblemOf } from '../cloud/cloud-problem.ts';
import type { Clouds, ProjectCloud } from '../cloud/project-cloud.ts';
import { heedPause } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';

export interface CredentialDependencies {
  readonly client: KubeClient;
  readonly cache: { readonly clusters: Informer<Cluster>; readonly credentials: Informer<CloudCredential> };
  readonly clouds: Clouds;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** How often Keystone is asked about a credential that works. Services take a revoked token for minutes, so their word would come late. */
const RECHECK_MS = 60_000;
/** How soon one that does not work is tried again: its Secret may have been mended. */
const RETRY_MS = 30_000;

/** Says of each CloudCredential whether Keystone accepts it, and revokes it there when it goes. */
export class CredentialReconciler {
  readonly #dependencies: CredentialDependencies;

  constructor(dependencies: CredentialDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string): Promise<Result> {
    const { cache, client, clouds, clock } = this.#dependencies;
    const found = cache.credentials.get(key);
    const active = found && (await heedPause(client.resource(cloudCredentials), found, undefined, clock.now()));
    if (active === undefined) return {};
    const credential = await ensureFinalizer(client.resource(cloudCredentials), active, FINALIZER);
    const { namespace = '', name = '', generation = 0 } = credential.metadata;
    const cloud = clouds.forNamespace(namespace, name);
    if (credential.metadata.deletionTimestamp !== undefined) return this.#delete(credential, cloud);

    const previous = credential.status;
    const verdict = await judge(credential, cloud, clock.now());
    const condition = { type: ConditionType.Ready, observedGeneration: generation, ...verdict.condition };
    const status: CloudCredentialStatus = {
      ...(verdict.known ?? previous),
      observedGeneration: generation,
      conditions: [...setCondition(previous?.conditions, condition, clock.now())],
    };
    const isReady = condition.status === 'True';
    // Who was refused until now asks again at once.
    if (isReady && !isConditionTrue(previous?.conditions, ConditionType.Ready)) cloud?.cache.retryNow();
    await writeStatus(client.resource(cloudCredentials), credential, status);
    return { requeueAfterMs: isReady ? RECHECK_MS : RETRY_MS };
  }

  async #delete(credential: CloudCredential, cloud: ProjectCloud | undefined): Promise<Result> {
    if (!hasFinalizer(credential, FINALIZER)) return {};
    const { client, events } = this.#dependencies;
    const users = this.#clustersOf(credential);
    if (users.length > 0) {
      events.warning(credential, 'ResourceInUse', `deleted when no cluster needs it any more: ${users.join(', ')}`);
      return {};
    }
    try {
      if (cloud && credential.status?.credentialID) await revoke(cloud.client, credential.status);
    } catch (error) {
      // A restricted credential may not delete itself: its owner does.
      if (
        !isOpenStackError(error, 'forbidden') &&
        !isOpenStackError(error, 'unauthorized') &&
        !isOpenStackError(error, 'notFound')
      ) {
        throw error;
      }
      if (isOpenStackError(error, 'forbidden'))
        events.warning(credential, 'NotRevoked', revocationAdvice(credential.status));
    }
    await removeFinalizer(client.resource(cloudCredentials), credential, FINALIZER);
    return {};
  }

  #clustersOf({ metadata }: CloudCredential): readonly string[] {
    return this.#dependencies.cache.clusters
      .list()
      .filter(
        (cluster) => cluster.metadata.namespace === metadata.namespace && cluster.spec.credentialName === metadata.name,
      )
      .map((cluster) => cluster.metadata.name ?? '');
  }
}

interface Verdict {
  readonly condition: { readonly status: 'True' | 'False'; readonly reason: ConditionReason; readonly message: string };
  /** Undefined when nothing was learnt. */
  readonly known?: CloudCredentialStatus;
}

async function judge(
  { spec, status }: CloudCredential,
  cloud: ProjectCloud | undefined,
  nowMs: number,
): Promise<Verdict> {
  if (cloud === undefined) {
    const message = `spec.cloud: the operator's clouds.yaml has no cloud ${spec.cloud}`;
    return { condition: { status: 'False', reason: ConditionReason.ConfigurationInvalid, message } };
  }
  try {
    const { token } = await cloud.client.session.renew();
    const known = await describeCredential(cloud.client, token, status);
    return { condition: { status: 'True', reason: ConditionReason.AsExpected, message: '' }, known };
  } catch (error) {
    const problem = cloudProblemOf(error, nowMs);
    if (problem === undefined) throw error;
    return { condition: { status: 'False', reason: problem.reason, message: problem.message } };
  }
}

async function describeCredential(
  client: OpenStackClient,
  token: Token,
  previous: CloudCredentialStatus | undefined,
): Promise<CloudCredentialStatus> {
  const trustId = token['OS-TRUST:trust']?.id;
  const credentialID = trustId ?? token.application_credential?.id;
  // What it says of itself is for people; a cloud that hides it changes nothing.
  const isKnown = credentialID !== undefined && previous?.credentialID === credentialID;
  const expiry = isKnown ? previous.expiresAt : await expiryOf(client, trustId, credentialID).catch(() => undefined);
  return {
    type: trustId === undefined ? 'ApplicationCredential' : 'Trust',
    ...(credentialID !== undefined && { credentialID }),
    ...(token.project && { projectID: token.project.id, projectName: token.project.name }),
    userName: token.user.name,
    roles: token.roles.map((role) => role.name).sort(),
    ...(expiry && { expiresAt: expiry }),
  };
}

async function expiryOf({ identity }: OpenStackClient, trustId: string | undefined, id: string | undefined) {
  const expiresAt =
    trustId === undefined
      ? (await identity.applicationCredentials()).find((each) => each.id === id)?.expires_at
      : (await identity.trust(trustId)).expires_at;
  // Keystone writes UTC without saying so.
  return expiresAt == null ? undefined : formatTime(Date.parse(expiresAt.replace(/Z?$/, 'Z')));
}

async function revoke(
  { identity }: OpenStackClient,
  { type, credentialID = '' }: CloudCredentialStatus,
): Promise<void> {
  if (type === 'Trust') await identity.deleteTrust(credentialID);
  else await identity.deleteApplicationCredential(credentialID);
}

function revocationAdvice({ type, credentialID }: CloudCredentialStatus = {}): string {
  const command =
    type === 'Trust'
      ? `openstack trust delete ${credentialID}`
      : `openstack application credential delete ${credentialID}`;
  return `Fairway has forgotten the credential; Keystone lets its owner alone revoke it: ${command}`;
}
