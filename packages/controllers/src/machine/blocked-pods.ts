import type { DrainedPod } from './pod-eviction.ts';

/**
 * How long a PodDisruptionBudget may block a pod before this is reported: this is normal until a replacement is ready
 * elsewhere.
 */
const NORMAL_BLOCK_MS = 60_000;

/** Additional facts about a drain. */
interface DrainView {
  /** Whether the Machine already reports that budgets block pods. */
  readonly wasReported: boolean;
  readonly nowMs: number;
}

/**
 * Tracks how long PodDisruptionBudgets have blocked pods on nodes being drained. In memory: after a restart, the wait
 * starts again, but existing reports stay.
 */
export class BlockedPods {
  readonly #sinceMs = new Map<string, ReadonlyMap<string, number>>();

  /** The currently blocked pods that have been blocked for longer than is normal. */
  stuckPods(
    machineUid: string,
    blocked: readonly DrainedPod[],
    { wasReported, nowMs }: DrainView,
  ): readonly DrainedPod[] {
    const before = this.#sinceMs.get(machineUid);
    const blockedSinceMs = before === undefined && wasReported ? nowMs - NORMAL_BLOCK_MS : nowMs;
    const since = new Map(blocked.map((pod) => [uidOf(pod), before?.get(uidOf(pod)) ?? blockedSinceMs]));
    this.#sinceMs.set(machineUid, since);
    return blocked.filter((pod) => nowMs >= (since.get(uidOf(pod)) ?? nowMs) + NORMAL_BLOCK_MS);
  }

  /** Drops the state of a machine whose drain has ended. */
  forget(machineUid: string): void {
    this.#sinceMs.delete(machineUid);
  }
}

function uidOf({ metadata }: DrainedPod): string {
  return metadata.uid ?? '';
}
