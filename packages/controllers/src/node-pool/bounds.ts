import { isDeepStrictEqual } from 'node:util';
import { currentBounds } from '@fairway/api/domain/scheduled-bounds';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { BoundsStatus } from '@fairway/api/kinds/pool-bounds';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { writeStatus } from '../status-writer.ts';

export interface BoundsDependencies {
  readonly client: ResourceClient<NodePool>;
  readonly events: Pick<EventRecorder, 'normal'>;
  readonly nowMs: number;
}

export interface BoundsOutcome {
  /** The pool with the current bounds. */
  readonly pool: NodePool;
  /** When different bounds may apply; undefined if never. */
  readonly changeMs: number | undefined;
}

/**
 * Writes the bounds of a pool according to its schedules to `status.bounds`, which every controller reads, before any
 * decision depends on them. Writes only when they change.
 */
export async function ensureBounds(pool: NodePool, dependencies: BoundsDependencies): Promise<BoundsOutcome> {
  const { client, events, nowMs } = dependencies;
  const { bounds, untilMs: changeMs } = currentBounds(pool.spec, nowMs) ?? {};
  const { bounds: before, ...status } = pool.status ?? {};
  if (isDeepStrictEqual(bounds, before)) return { pool, changeMs };
  const next = { ...status, ...(bounds && { bounds }) };
  await writeStatus(client, pool, next);
  if (bounds && isOther(bounds, before)) events.normal(pool, 'BoundsChanged', messageOf(bounds));
  return { pool: { ...pool, status: next }, changeMs };
}

function isOther(bounds: BoundsStatus, before: BoundsStatus | undefined): boolean {
  return bounds.minReplicas !== before?.minReplicas || bounds.maxReplicas !== before.maxReplicas;
}

function messageOf({ minReplicas, maxReplicas, schedule, nextChange }: BoundsStatus): string {
  const by = schedule === undefined ? "by the pool's own bounds" : `by schedule ${schedule}`;
  const until = nextChange === undefined ? '' : `, until ${nextChange.time}`;
  return `Between ${minReplicas} and ${maxReplicas} nodes ${by}${until}`;
}
