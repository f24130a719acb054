import type { DrainedPod } from './pod-eviction.ts';

/** How long a PodDisruptionBudget may keep a pod before anybody is told: until another one of its kind is ready elsewhere, it is to. */
const ORDINARY_MS = 60_000;

/** What is known of a drain besides. */
interface DrainView {
  /** Whether the Machine says already that budgets keep pods. */
  readonly wasTold: boolean;
  readonly nowMs: number;
}

/**
 * Since when PodDisruptionBudgets keep pods of nodes that are drained. In memory: after a restart the wait begins again, but what was told is still
 * told.
 */
export class BlockedPods {
  readonly #sinceMs = new Map<string, ReadonlyMap<string, number>>();

  /** Those of the pods that are kept now which have been kept for longer than is ordinary. */
  stuck(machineUid: string, blocked: readonly DrainedPod[], { wasTold, nowMs }: DrainView): readonly DrainedPod[] {
    const before = this.#sinceMs.get(machineUid);
    const unknownMs = before === undefined && wasTold ? nowMs - ORDINARY_MS : nowMs;
    const since = new Map(blocked.map((pod) => [uidOf(pod), before?.get(uidOf(pod)) ?? unknownMs]));
    this.#sinceMs.set(machineUid, since);
    return blocked.filter((pod) => nowMs >= (since.get(uidOf(pod)) ?? nowMs) + ORDINARY_MS);
  }

  /** The drain is over. */
  forget(machineUid: string): void {
    this.#sinceMs.delete(machineUid);
  }
}

function uidOf({ metadata }: DrainedPod): string {
  return metadata.uid ?? '';
}
