import { inParallel } from '@fairway/base/in-parallel';
import { boundedPages } from '@fairway/kube/client/bounded-pages';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { PersistentVolumeClaims, VolumeAttachments } from '@fairway/kube/kinds/resources';
import { claimsOf, type DrainedPod } from './pod-eviction.ts';

/** How long a volume may take to be detached before the drain continues without it: Cinder takes seconds, and Kubernetes stops waiting for a kubelet after six minutes. */
const DETACH_TIMEOUT_MS = 120_000;

const MAX_CONCURRENT_CALLS = 32;

export interface VolumeQuery {
  /** The machine's identity. */
  readonly machineUid: string;
  readonly nodeName: string;
  readonly client: KubeClient;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Tracks how long volumes of drained nodes have been waiting to be detached. In memory: after a restart, the wait
 * starts again, but it is also limited by the timeout of the whole drain.
 */
export class DetachingVolumes {
  readonly #sinceMs = new Map<string, ReadonlyMap<string, number>>();

  /**
   * The volumes that are attached to the node but used by none of its pods, except those that have taken too long.
   * Rejects with the tenant's error.
   */
  async of(query: VolumeQuery, podsOnNode: readonly DrainedPod[]): Promise<readonly string[]> {
    const { machineUid, nowMs } = query;
    const detached = await unusedVolumes(query, podsOnNode);
    const before = this.#sinceMs.get(machineUid);
    const since = new Map(detached.map((name) => [name, before?.get(name) ?? nowMs]));
    if (since.size === 0) this.#sinceMs.delete(machineUid);
    else this.#sinceMs.set(machineUid, since);
    return detached.filter((name) => nowMs < (since.get(name) ?? nowMs) + DETACH_TIMEOUT_MS);
  }

  /** Drops the state of a machine whose drain has ended. */
  forget(machineUid: string): void {
    this.#sinceMs.delete(machineUid);
  }
}

async function unusedVolumes(
  { client, nodeName, signal }: VolumeQuery,
  podsOnNode: readonly DrainedPod[],
): Promise<readonly string[]> {
  const attached: string[] = [];
  for await (const page of boundedPages(client.resource(VolumeAttachments), { signal })) {
    for (const { spec } of page) {
      const name = spec.nodeName === nodeName ? spec.source.persistentVolumeName : undefined;
      if (name !== undefined) attached.push(name);
    }
  }
  if (attached.length === 0) return [];
  const claims = [...new Set(podsOnNode.flatMap(claimsOf))];
  const used = new Set<string | undefined>();
  await inParallel(claims, MAX_CONCURRENT_CALLS, async (claim) => {
    const [namespace = '', name = ''] = claim.split('/');
    const found = await undefinedIfNotFound(client.resource(PersistentVolumeClaims).get(name, { namespace, signal }));
    used.add(found?.spec?.volumeName);
  });
  return attached.filter((name) => !used.has(name)).toSorted();
}
