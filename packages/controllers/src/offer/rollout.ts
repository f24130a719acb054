import { ConditionReason } from '@fairway/api/conditions';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import type { MaintenanceGate } from '@fairway/api/domain/maintenance-gate';
import { isNewRequest, requestToRecord } from '@fairway/api/domain/request';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { acceptsPatches, followedMinor } from '@fairway/api/domain/update-policy';
import { isAtLeast } from '@fairway/api/domain/version-numbers';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { type RolloutSettings, type RolloutStatus, rolloutSpec } from '@fairway/api/kinds/rollout';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { isAt, newRolloutSlot, observedSlot, type RolloutSlot, slotEndMs } from './rollout-slot.ts';

export type GateOf = (cluster: Cluster, nowMs: number) => MaintenanceGate;

export interface RolloutFacts {
  readonly settings: RolloutSettings;
  /** The target: a patch, or a minor version. */
  readonly target: string;
  /** The clusters that should run it. */
  readonly followers: readonly Cluster[];
  /** Whether a cluster may start now according to its maintenance window. */
  readonly gateOf: GateOf;
  /** Reasons why a cluster must wait, in addition to those that apply to every rollout. */
  readonly isHeldUp?: (cluster: Cluster) => boolean;
  readonly previous: RolloutStatus | undefined;
  /** The value of the annotation fairway.dev/retry-requested, as `requestIn` returns it. */
  readonly retryRequested: string | undefined;
  /** When Fairway began to watch the rollout without interruption. */
  readonly watchedSinceMs: number;
  readonly nowMs: number;
}

type FailedEntry = RolloutStatus['failed'][number];

/**
 * Decides which clusters may be updated to the target, and the progress so far. Pure and level-triggered: derived from
 * the clusters and its own last result, which is stored in the release's status. A cluster in `moving` is being
 * updated. It leaves the list when its control plane runs the target and is ready, or when its time is up. If it has
 * started by then, it counts as failed. If it has not, it is queued again at the end, because the delay is not the
 * patch's fault. Nodes do not count: tenants can break their own, and would delay the patch for everyone.
 * Canaries come first. After `maxFailures` failures, or one canary failure, no more clusters start; the rollout
 * continues once the failed ones become ready. Clusters that are waiting for their maintenance window are skipped,
 * and are given a slot in it, so canaries with windows do not delay other clusters, and do not count as canaries until
 * then.
 */
export function nextRollout(facts: RolloutFacts): RolloutStatus {
  const { settings, target, watchedSinceMs, nowMs } = facts;
  const targetClusters = facts.followers;
  const outdated = new Map(
    targetClusters.filter((cluster) => !isAt(cluster, target)).map((cluster) => [uidOf(cluster), cluster]),
  );
  const known = new Map(targetClusters.map((cluster) => [uidOf(cluster), cluster]));
  // A newer patch may be the fix for the previous one.
  const isSame = facts.previous?.version === target;
  const wasRetried = isSame && isNewRequest(facts.retryRequested, facts.previous?.retried);
  const followed = requestToRecord(facts.retryRequested, facts.previous?.retried);
  const since = formatTime(nowMs);
  const moving: RolloutSlot[] = [];
  const failed: FailedEntry[] = [];
  const retriedSlots = wasRetried ? (facts.previous?.failed ?? []).map((entry) => newRolloutSlot(entry, since)) : [];
  const turns = (facts.previous?.moving ?? []).map((slot) => (isSame ? slot : newRolloutSlot(slot, since)));
  const returnedUids = new Set<string>();
  for (const slot of [...turns, ...retriedSlots]) {
    const cluster = known.get(slot.uid);
    if (cluster === undefined || isPaused(cluster) || isHealthyAt(cluster, target)) continue;
    if (isUpdateHeld(cluster, facts) || isStoppedByUser(cluster)) continue;
    const seen = observedSlot(slot, cluster, target, nowMs);
    if (nowMs < slotEndMs(seen, settings, watchedSinceMs)) moving.push(seen);
    else if (seen.begun === undefined) returnedUids.add(seen.uid);
    else failed.push({ ...identityFields(cluster), since, message: failureOf(cluster, target) });
  }
  if (isSame && !wasRetried) {
    for (const entry of facts.previous?.failed ?? []) {
      const cluster = known.get(entry.uid);
      if (cluster !== undefined && !isHealthyAt(cluster, target)) failed.push(entry);
    }
  }
  const isCanary = canaryOf(settings);
  const isHalted = failed.length >= settings.maxFailures || failed.some(({ uid }) => isCanary(known.get(uid)));
  if (!isHalted && !settings.paused) {
    moving.push(
      ...newSlots(facts, { outdated, moving, failed, returnedUids, isCanary, total: targetClusters.length, since }),
    );
  }
  const startedUids = new Set([...moving, ...failed].map(({ uid }) => uid));
  const waiting = [...outdated.keys()].filter((uid) => !startedUids.has(uid)).length;
  const updated = targetClusters.length - outdated.size;
  const paused = [...outdated.values()].filter((cluster) => isPaused(cluster)).length;
  const state = stateOf({
    isHalted,
    isPaused: settings.paused,
    moving,
    known,
    isCanary,
    left: waiting + moving.length,
  });
  const word = state === 'Halted' || state === 'Paused' ? ` ${state}` : '';
  return {
    version: target,
    state,
    summary: `${target} ${updated}/${targetClusters.length}${word}`,
    total: targetClusters.length,
    updated,
    waiting,
    paused,
    moving,
    failed: failed.slice(0, MAX_LISTED_FAILURES),
    ...(followed !== undefined && { retried: followed }),
  };
}

const MAX_LISTED_FAILURES = 200;

/** The clusters that are patched automatically; `isSeamless`: whether API servers stay available during an update. */
export function patchFollowers(users: readonly Cluster[], minor: string, isSeamless: boolean): readonly Cluster[] {
  return users.filter(
    (cluster) => followedMinor(cluster) === minor && acceptsPatches(cluster, isSeamless) && !isBeingDeleted(cluster),
  );
}

/** The settings with defaults for fields missing in objects from earlier releases. */
export function rolloutSettings({ spec }: KubernetesRelease): RolloutSettings {
  return rolloutSpec.parse(spec.rollout ?? {});
}

/** When the next maintenance window that a cluster is waiting for opens; undefined if there is none. */
export function nextOpeningMs(
  { version }: RolloutStatus,
  followers: readonly Cluster[],
  gateOf: GateOf,
  nowMs: number,
): number | undefined {
  const openings = followers.flatMap((cluster) => {
    const gate = gateOf(cluster, nowMs);
    return gate.isOpen || isAt(cluster, version) ? [] : [gate.opensAtMs];
  });
  return openings.length === 0 ? undefined : openings.reduce((a, b) => Math.min(a, b));
}

interface RolloutPosition {
  readonly outdated: ReadonlyMap<string, Cluster>;
  readonly moving: readonly RolloutSlot[];
  readonly failed: readonly FailedEntry[];
  /** Clusters whose slot has just ended without a start. */
  readonly returnedUids: ReadonlySet<string>;
  readonly isCanary: (cluster: Cluster | undefined) => boolean;
  readonly total: number;
  readonly since: string;
}

function newSlots(
  facts: RolloutFacts,
  { outdated, moving, failed, returnedUids, isCanary, total, since }: RolloutPosition,
): RolloutSlot[] {
  const { settings } = facts;
  const startedUids = new Set([...moving, ...failed].map(({ uid }) => uid));
  const share = Math.max(1, Math.floor((total * settings.maxPercent) / 100));
  const room = Math.min(settings.maxConcurrent, share) - moving.length;
  if (room <= 0) return [];
  // An update that cannot run now would only fail.
  const eligible = [...outdated.values()].filter(
    (cluster) =>
      !startedUids.has(uidOf(cluster)) &&
      !isPaused(cluster) &&
      !isUpdateHeld(cluster, facts) &&
      isConditionTrue(cluster.status?.conditions, 'ControlPlaneReady'),
  );
  const canaries = eligible.filter(isCanary);
  const areCanariesLeft = canaries.length > 0 || moving.some(({ uid }) => isCanary(outdated.get(uid)));
  const isReady = (cluster: Cluster) => isConditionTrue(cluster.status?.conditions, 'Ready');
  const rankOf = (cluster: Cluster) => (returnedUids.has(uidOf(cluster)) ? 2 : Number(!isReady(cluster)));
  return (areCanariesLeft ? canaries : eligible)
    .sort((a, b) => rankOf(a) - rankOf(b) || (uidOf(a) < uidOf(b) ? -1 : 1))
    .slice(0, room)
    .map((cluster) => ({ ...identityFields(cluster), since }));
}

function stateOf(facts: {
  readonly isHalted: boolean;
  readonly isPaused: boolean;
  readonly moving: readonly RolloutSlot[];
  readonly known: ReadonlyMap<string, Cluster>;
  readonly isCanary: RolloutPosition['isCanary'];
  readonly left: number;
}): RolloutStatus['state'] {
  if (facts.isHalted) return 'Halted';
  if (facts.left === 0) return 'Complete';
  if (facts.isPaused) return 'Paused';
  return facts.moving.some(({ uid }) => facts.isCanary(facts.known.get(uid))) ? 'Canaries' : 'Rolling';
}

function canaryOf({ canarySelector }: RolloutSettings): RolloutPosition['isCanary'] {
  const canaryLabels = Object.entries(canarySelector?.matchLabels ?? {});
  return (cluster) =>
    canaryLabels.length > 0 && canaryLabels.every(([name, value]) => cluster?.metadata.labels?.[name] === value);
}

function isHealthyAt(cluster: Cluster, target: string): boolean {
  return isAt(cluster, target) && isConditionTrue(cluster.status?.conditions, 'ControlPlaneReady');
}

/**
 * Whether the cluster cannot start now, for example because of its maintenance window; a cluster that has started
 * continues. A hibernated cluster is updated when it wakes.
 */
function isUpdateHeld(cluster: Cluster, { target, gateOf, isHeldUp, nowMs }: RolloutFacts): boolean {
  if (shouldHibernate(cluster) || isBeingWiped(cluster)) return true;
  if (isAtLeast(cluster.status?.desiredVersion, target)) return false;
  return !gateOf(cluster, nowMs).isOpen || isHeldUp?.(cluster) === true;
}

/**
 * Failures that any tenant can cause during its cluster's slot, but no version does; if counted, they would stop the
 * rollout for everyone.
 */
const USER_REASONS: ReadonlySet<string> = new Set([ConditionReason.CredentialInvalid, ConditionReason.DatabaseFull]);

function isStoppedByUser({ status }: Cluster): boolean {
  const ready = findCondition(status?.conditions, 'ControlPlaneReady');
  return ready?.status === 'False' && USER_REASONS.has(ready.reason);
}

function failureOf({ status }: Cluster, target: string): string {
  const ready = findCondition(status?.conditions, 'ControlPlaneReady');
  const what = isAtLeast(status?.version, target)
    ? `runs ${status?.version}, but its control plane is not ready`
    : `still runs ${status?.version}`;
  return `${what}${ready?.message ? `: ${ready.message}` : ''}`.slice(0, 512);
}

function identityFields({ metadata }: Cluster): Pick<RolloutSlot, 'namespace' | 'name' | 'uid'> {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function uidOf({ metadata }: Cluster): string {
  return metadata.uid ?? '';
}
