import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { COMPLETE_ROTATION_ANNOTATION } from '@fairway/api/group';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { CredentialsStatus } from '@fairway/api/kinds/cluster-credentials';
import { formatTime } from '@fairway/base/clock';
import { AUTHORITY_RENEWAL_MS } from '@fairway/control-plane/pki/authority-rotation';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { firstExpiryMs } from '@fairway/control-plane/pki/cluster-rotation';
import type { RotationRecord } from '@fairway/control-plane/pki/rotation-record';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { credentialRequests } from './credentials-step.ts';
import type { ClusterDependencies } from './dependencies.ts';

/** What one pass has observed about a cluster's CA. */
export interface CaFacts {
  readonly rotation: RotationRecord;
  readonly caNotAfterMs: number;
  /** Whether the control plane runs with the CA, or is not running at all. */
  readonly isCaInEffect: boolean;
  readonly nodes: { readonly total: number; readonly renewed: number };
}

export function caFactsOf(pki: ClusterPki, seen: Pick<CaFacts, 'isCaInEffect' | 'nodes'>): CaFacts {
  return { rotation: pki.rotation, caNotAfterMs: firstExpiryMs(pki), ...seen };
}

/** `status.credentials`; for undefined facts, the last reported values are kept. Pure. */
export function credentialsStatusOf(
  last: CredentialsStatus | undefined,
  caFacts: CaFacts | undefined,
  certificatesEndMs: number | undefined,
  nowMs: number,
): CredentialsStatus | undefined {
  if (caFacts === undefined) return last;
  const certificatesNotAfter =
    certificatesEndMs === undefined ? last?.certificatesNotAfter : formatTime(certificatesEndMs);
  const { rotation, caNotAfterMs, isCaInEffect, nodes } = caFacts;
  const phase = phaseOf(caFacts, last?.phase);
  const revocation = isCaInEffect ? revocationOf(last, rotation, nowMs) : last?.revocation;
  const generation = generationForNodes(caFacts) ?? last?.generation;
  return {
    phase,
    since: last?.phase === phase && last.since !== undefined ? last.since : formatTime(nowMs),
    ...(rotation.request !== undefined && { rotation: rotation.request }),
    ...(generation !== undefined && generation > 0 && { generation }),
    ...(phase === 'Preparing' && { nodes: { total: nodes.total, renewed: nodes.renewed } }),
    caNotAfter: formatTime(caNotAfterMs),
    ...(certificatesNotAfter !== undefined && { certificatesNotAfter }),
    ...(revocation && { revocation }),
  };
}

function phaseOf(
  { rotation, isCaInEffect, nodes }: CaFacts,
  last: CredentialsStatus['phase'],
): NonNullable<CredentialsStatus['phase']> {
  switch (rotation.stage) {
    case 'Stable':
      return 'Stable';
    case 'Trusting':
      return 'Preparing';
    case 'Renewing':
      // An API server that restarts for another reason does not undo a revocation.
      return nodes.renewed === nodes.total && (isCaInEffect || last === 'Prepared') ? 'Prepared' : 'Preparing';
    case 'Completing':
      return 'Completing';
  }
}

/**
 * The CA generation that nodes should be installed with: it advances only once everything that they receive comes from
 * the new CA. Undefined keeps the previous one.
 */
function generationForNodes({ rotation, isCaInEffect }: CaFacts): number | undefined {
  if (rotation.stage === 'Trusting' || (rotation.stage === 'Renewing' && !isCaInEffect)) return undefined;
  return rotation.generation;
}

function revocationOf(
  last: CredentialsStatus | undefined,
  { revocation, revoked }: RotationRecord,
  nowMs: number,
): CredentialsStatus['revocation'] {
  if (revocation === undefined || revocation === last?.revocation?.requested) return last?.revocation;
  return { requested: revocation, ...(revoked !== undefined && { time: formatTime(nowMs) }) };
}

/** What is in progress for the cluster's credentials; undefined if nothing is. Pure. */
export function credentialsCondition(
  cluster: Cluster,
  status: CredentialsStatus | undefined,
  caFacts: CaFacts,
): ConditionState | undefined {
  const problem = revocationProblem(status, caFacts.rotation) ?? rotationProblem(cluster, status, caFacts.rotation);
  return problem && conditionUnmet(ConditionType.CredentialsStable, problem);
}

function revocationProblem(
  status: CredentialsStatus | undefined,
  { revocation, revoked }: RotationRecord,
): Problem | undefined {
  if (revocation === undefined || revocation === status?.revocation?.requested) return undefined;
  const message = `all kubeconfigs issued before ${revoked} are being revoked: the API server is restarting without them`;
  return { reason: ConditionReason.RevokingKubeconfigs, message };
}

function rotationProblem(
  cluster: Cluster,
  status: CredentialsStatus | undefined,
  { stage, request }: RotationRecord,
): Problem | undefined {
  const { name } = cluster.metadata;
  const preparing = (message: string) => ({ reason: ConditionReason.PreparingRotation, message });
  if (stage === 'Stable') return undefined;
  if (shouldHibernate(cluster)) {
    return preparing(`the rotation continues once the cluster is awake ("fairway cluster wake ${name}")`);
  }
  if (stage === 'Completing') {
    const message =
      'the old certificate authorities and keys are being removed: the control plane is restarting without them';
    return { reason: ConditionReason.CompletingRotation, message };
  }
  const isCompletionRequested = credentialRequests(cluster).completion === request;
  const then = isCompletionRequested ? '; the rotation completes afterwards' : '';
  if (status?.phase === 'Prepared') {
    if (isCompletionRequested) return preparing('all nodes are updated, and the rotation is completing');
    const message = `all components trust both the old and the new certificate authorities: get new kubeconfigs, recreate tokens stored in Secrets, then complete the rotation with "fairway cluster rotate-credentials ${name} --phase complete" (annotation ${COMPLETE_ROTATION_ANNOTATION} with the value ${JSON.stringify(request)})`;
    return { reason: ConditionReason.RotationPrepared, message };
  }
  const message =
    status?.generation === undefined || stage === 'Trusting'
      ? 'the control plane is being configured to trust the new certificate authorities'
      : 'nodes are being updated to trust the new certificate authorities too: see status.upgrade of the node pools for progress';
  return preparing(`${message}${then}`);
}

/** Whether the first of the cluster's CAs expires soon; undefined if none does. Pure. */
export function caCondition({ metadata }: Cluster, caFacts: CaFacts, nowMs: number): ConditionState | undefined {
  if (caFacts.caNotAfterMs - nowMs >= AUTHORITY_RENEWAL_MS) return undefined;
  const end = formatTime(caFacts.caNotAfterMs);
  const hasExpired = caFacts.caNotAfterMs <= nowMs;
  const state = hasExpired
    ? `expired at ${end}, and its nodes and all kubeconfigs no longer work`
    : `expire at ${end}, after which its nodes and all kubeconfigs no longer work`;
  const message = `the cluster's certificate authorities ${state}: rotate them with "fairway cluster rotate-credentials ${metadata.name}"`;
  return {
    type: ConditionType.AuthorityExpiresSoon,
    status: 'True',
    reason: ConditionReason.AuthorityExpiresSoon,
    message,
  };
}

/** Records Events, once each. */
export function recordCaEvents(
  events: Pick<ClusterDependencies['events'], 'warning' | 'normal'>,
  cluster: Cluster,
  { conditions, credentials }: Pick<ClusterStatus, 'conditions' | 'credentials'>,
): void {
  const before = cluster.status;
  const soon = findCondition(conditions, ConditionType.AuthorityExpiresSoon);
  if (soon && findCondition(before?.conditions, soon.type) === undefined) {
    events.warning(cluster, soon.reason, soon.message);
  }
  const { revocation, phase } = credentials ?? {};
  if (revocation?.time !== undefined && revocation.time !== before?.credentials?.revocation?.time) {
    events.normal(cluster, 'KubeconfigsRevoked', 'all previously issued kubeconfigs are revoked');
  }
  const last = before?.credentials?.phase;
  if (phase === last || last === undefined) return;
  const stable = findCondition(conditions, ConditionType.CredentialsStable);
  if (phase === 'Stable') {
    events.normal(cluster, 'RotationCompleted', 'the old certificate authorities and keys are no longer trusted');
  } else if (stable) events.normal(cluster, stable.reason, stable.message);
}
