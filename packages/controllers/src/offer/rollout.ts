import { durationMs } from '@fairway/api/domain/duration';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { maintenanceGate } from '@fairway/api/domain/maintenance-gate';
import { takesPatches } from '@fairway/api/domain/update-policy';
import { compareVersions } from '@fairway/api/domain/version-numbers';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { RolloutSettings, RolloutStatus } from '@fairway/api/kinds/rollout';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';

export interface RolloutFacts {
  readonly settings: RolloutSettings;
  /** The newest patch that clusters can use. */
  readonly target: string;
  /** The clusters that follow the minor version. */
  readonly followers: readonly Cluster[];
  /** Whether API servers answer throughout an update. */
  readonly isSeamless: boolean;
  readonly previous: RolloutStatus | undefined;
  /** Value of the annotation fairway.dev/retry-requested. */
  readonly retryRequested: string | undefined;
  readonly nowMs: number;
}

type Turn = RolloutStatus['moving'][number];
type Failed = RolloutStatus['failed'][number];

/**
 * Who may take the newest patch, and how far it has come. Pure, and level-triggered: derived from the clusters and its own last result, which is kept in
 * `status.rollout`. A cluster in `moving` takes the patch; it leaves the list when its control plane runs it and is ready, or when its time is up. Nodes
 * don't count: a tenant can break its own, and would hold the patch back for all. Canaries come first. After `maxFailures` failures, or one of a
 * canary, no further cluster begins; when those that failed have become ready, it goes on. Whoever waits for its maintenance window is passed over, and gets
 * its turn in it; so canaries with windows hold nobody up, and are none until then.
 */
export function nextRollout(facts: RolloutFacts): RolloutStatus {
  const { settings, target, nowMs } = facts;
  const taking = facts.followers.filter((cluster) => takesPatches(cluster, facts.isSeamless));
  const behind = new Map(
    taking.filter((cluster) => !isAt(cluster, target)).map((cluster) => [uidOf(cluster), cluster]),
  );
  const known = new Map(taking.map((cluster) => [uidOf(cluster), cluster]));
  // A newer patch may be what mends the one before.
  const isSame = facts.previous?.version === target;
  const wasRetried = isSame && facts.retryRequested !== facts.previous?.retried;
  const since = formatTime(nowMs);
  const moving: Turn[] = [];
  const failed: Failed[] = [];
  const retried = wasRetried ? (facts.previous?.failed ?? []).map((entry) => turnOf(entry, since)) : [];
  const turns = (facts.previous?.moving ?? []).map((turn) => (isSame ? turn : { ...turn, since }));
  for (const turn of [...turns, ...retried]) {
    const cluster = known.get(turn.uid);
    if (cluster === undefined || isPaused(cluster) || isHealthyAt(cluster, target)) continue;
    if (isHeldBack(cluster, target, nowMs)) continue;
    if (nowMs - Date.parse(turn.since) < durationMs(settings.timeout)) moving.push(turn);
    else failed.push({ ...placeOf(cluster), since, message: failureOf(cluster, target) });
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
    moving.push(...newTurns(facts, { behind, moving, failed, isCanary, total: taking.length, since }));
  }
  const begun = new Set([...moving, ...failed].map(({ uid }) => uid));
  const waiting = [...behind.keys()].filter((uid) => !begun.has(uid)).length;
  const updated = taking.length - behind.size;
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
    summary: `${target} ${updated}/${taking.length}${word}`,
    total: taking.length,
    updated,
    waiting,
    moving,
    failed: failed.slice(0, MAX_FAILED),
    ...(facts.retryRequested !== undefined && { retried: facts.retryRequested.slice(0, 256) }),
  };
}

const MAX_FAILED = 200;

/** When a cluster's time is up next; undefined: none is on its way. */
export function nextTimeoutMs({ moving }: RolloutStatus, settings: RolloutSettings): number | undefined {
  if (moving.length === 0) return undefined;
  return Math.min(...moving.map(({ since }) => Date.parse(since))) + durationMs(settings.timeout);
}

/** When a window opens that a cluster waits for; undefined: none does. */
export function nextOpeningMs(
  { version }: RolloutStatus,
  followers: readonly Cluster[],
  nowMs: number,
): number | undefined {
  const openings = followers.flatMap((cluster) => {
    const gate = maintenanceGate(cluster, nowMs);
    return gate.isOpen || isAt(cluster, version) ? [] : [gate.opensAtMs];
  });
  return openings.length === 0 ? undefined : openings.reduce((a, b) => Math.min(a, b));
}

interface Standing {
  readonly behind: ReadonlyMap<string, Cluster>;
  readonly moving: readonly Turn[];
  readonly failed: readonly Failed[];
  readonly isCanary: (cluster: Cluster | undefined) => boolean;
  readonly total: number;
  readonly since: string;
}

function newTurns(
  { settings, target, nowMs }: RolloutFacts,
  { behind, moving, failed, isCanary, total, since }: Standing,
): Turn[] {
  const begun = new Set([...moving, ...failed].map(({ uid }) => uid));
  const share = Math.max(1, Math.floor((total * settings.maxPercent) / 100));
  const room = Math.min(settings.maxConcurrent, share) - moving.length;
  if (room <= 0) return [];
  // What cannot be updated now would only fail.
  const able = [...behind.values()].filter(
    (cluster) =>
      !begun.has(uidOf(cluster)) &&
      !isPaused(cluster) &&
      !isHeldBack(cluster, target, nowMs) &&
      isConditionTrue(cluster.status?.conditions, 'ControlPlaneReady'),
  );
  const canaries = able.filter(isCanary);
  const areCanariesOut = canaries.length > 0 || moving.some(({ uid }) => isCanary(behind.get(uid)));
  const isReady = (cluster: Cluster) => isConditionTrue(cluster.status?.conditions, 'Ready');
  return (areCanariesOut ? canaries : able)
    .sort((a, b) => Number(isReady(b)) - Number(isReady(a)) || (uidOf(a) < uidOf(b) ? -1 : 1))
    .slice(0, room)
    .map((cluster) => ({ ...placeOf(cluster), since }));
}

function stateOf(facts: {
  readonly isHalted: boolean;
  readonly isPaused: boolean;
  readonly moving: readonly Turn[];
  readonly known: ReadonlyMap<string, Cluster>;
  readonly isCanary: Standing['isCanary'];
  readonly left: number;
}): RolloutStatus['state'] {
  if (facts.isHalted) return 'Halted';
  if (facts.left === 0) return 'Complete';
  if (facts.isPaused) return 'Paused';
  return facts.moving.some(({ uid }) => facts.isCanary(facts.known.get(uid))) ? 'Canaries' : 'Rolling';
}

function canaryOf({ canarySelector }: RolloutSettings): Standing['isCanary'] {
  const wanted = Object.entries(canarySelector?.matchLabels ?? {});
  return (cluster) => wanted.length > 0 && wanted.every(([name, value]) => cluster?.metadata.labels?.[name] === value);
}

function isAt({ status }: Cluster, target: string): boolean {
  return status?.version !== undefined && compareVersions(status.version, target) >= 0;
}

function isHealthyAt(cluster: Cluster, target: string): boolean {
  return isAt(cluster, target) && isConditionTrue(cluster.status?.conditions, 'ControlPlaneReady');
}

/** Whether its maintenance window keeps it from beginning; one that has begun goes on after it. A hibernated cluster takes it when it is awake. */
function isHeldBack(cluster: Cluster, target: string, nowMs: number): boolean {
  if (isHibernationWanted(cluster)) return true;
  return cluster.status?.desiredVersion !== target && !maintenanceGate(cluster, nowMs).isOpen;
}

function failureOf({ status }: Cluster, target: string): string {
  const ready = findCondition(status?.conditions, 'ControlPlaneReady');
  const what =
    status?.version === target ? `runs ${target}, and its control plane is not ready` : `still runs ${status?.version}`;
  return `${what}${ready?.message ? `: ${ready.message}` : ''}`.slice(0, 512);
}

function turnOf({ namespace, name, uid }: Failed, since: string): Turn {
  return { namespace, name, uid, since };
}

function placeOf({ metadata }: Cluster): Pick<Turn, 'namespace' | 'name' | 'uid'> {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function uidOf({ metadata }: Cluster): string {
  return metadata.uid ?? '';
}
