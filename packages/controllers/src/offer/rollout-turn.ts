import { durationMs } from '@fairway/api/domain/duration';
import { isAtLeast } from '@fairway/api/domain/version-numbers';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { RolloutSettings, RolloutStatus } from '@fairway/api/kinds/rollout';
import { formatTime } from '@fairway/base/clock';

/** A cluster's turn to take what is rolled out. */
export type Turn = RolloutStatus['moving'][number];

/** A turn that begins now. */
export function turnOf({ namespace, name, uid }: Omit<Turn, 'since'>, since: string): Turn {
  return { namespace, name, uid, since };
}

export function isAt({ status }: Cluster, target: string): boolean {
  return isAtLeast(status?.version, target);
}

/** The turn, with the time at which the cluster is first seen to have begun. */
export function seenTurn(turn: Turn, cluster: Cluster, target: string, nowMs: number): Turn {
  if (turn.begun !== undefined) return turn;
  const hasBegun = isAtLeast(cluster.status?.desiredVersion, target) || isAt(cluster, target);
  return hasBegun ? { ...turn, begun: formatTime(nowMs) } : turn;
}

/** When its time is up: none passes while no Fairway looks, which could neither do nor see what there is to do. */
export function turnEndMs({ since, begun }: Turn, { timeout }: RolloutSettings, watchedSinceMs: number): number {
  return Math.max(Date.parse(begun ?? since), watchedSinceMs) + durationMs(timeout);
}

/** When a cluster's time is up next; undefined: none is on its way. */
export function nextTurnEndMs(
  { moving }: RolloutStatus,
  settings: RolloutSettings,
  watchedSinceMs: number,
): number | undefined {
  const ends = moving.map((turn) => turnEndMs(turn, settings, watchedSinceMs));
  return ends.length === 0 ? undefined : Math.min(...ends);
}
