import { durationMs } from '@fairway/api/domain/duration';
import { isAtLeast } from '@fairway/api/domain/version-numbers';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { RolloutSettings, RolloutStatus } from '@fairway/api/kinds/rollout';
import { formatTime } from '@fairway/base/clock';

/** A cluster's slot in a rollout. */
export type RolloutSlot = RolloutStatus['moving'][number];

/** Creates a slot that starts now. */
export function newRolloutSlot({ namespace, name, uid }: Omit<RolloutSlot, 'since'>, since: string): RolloutSlot {
  return { namespace, name, uid, since };
}

export function isAt({ status }: Cluster, target: string): boolean {
  return isAtLeast(status?.version, target);
}

/** The slot, with the time when the start of the cluster was first observed. */
export function observedSlot(slot: RolloutSlot, cluster: Cluster, target: string, nowMs: number): RolloutSlot {
  if (slot.begun !== undefined) return slot;
  const hasStarted = isAtLeast(cluster.status?.desiredVersion, target) || isAt(cluster, target);
  return hasStarted ? { ...slot, begun: formatTime(nowMs) } : slot;
}

/**
 * When the slot ends. Time during which no Fairway process is running does not count, because nothing could act or
 * observe.
 */
export function slotEndMs({ since, begun }: RolloutSlot, { timeout }: RolloutSettings, watchedSinceMs: number): number {
  return Math.max(Date.parse(begun ?? since), watchedSinceMs) + durationMs(timeout);
}

/** When the next slot ends; undefined if no cluster has one. */
export function nextSlotEndMs(
  { moving }: RolloutStatus,
  settings: RolloutSettings,
  watchedSinceMs: number,
): number | undefined {
  const ends = moving.map((slot) => slotEndMs(slot, settings, watchedSinceMs));
  return ends.length === 0 ? undefined : Math.min(...ends);
}
