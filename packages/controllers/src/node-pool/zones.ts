import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { writeStatus } from '../status-writer.ts';

/** Operators change zones a few times a year. */
const MAX_AGE_MS = 900_000;
/** The zone names, as a pool can specify them. */
const MAX_NAME_LENGTH = 63;
const MAX_ZONES = 100;

export interface ZonesDependencies {
  readonly client: ResourceClient<NodePool>;
  readonly plan: Pick<PlanSpec, 'controlPlane'> | undefined;
  readonly cloud: ProjectCloud;
  /** Whether the pool has, or is known to have had, machines: the cloud chose their zone. */
  readonly hasMachines: boolean;
  readonly signal: AbortSignal;
}

/**
 * Selects the zones of a pool that specifies none, if its plan's control planes survive the loss of a zone: all zones
 * in the cloud. Written before any machine is created, and never changed afterwards, regardless of later changes to the
 * cloud's zones. Resolves with the pool; rejects with the cloud's error.
 */
export async function ensureZones(
  pool: NodePool,
  { client, plan, cloud, hasMachines, signal }: ZonesDependencies,
): Promise<NodePool> {
  const isNamed = (pool.spec.availabilityZones ?? []).length > 0;
  if (isNamed || hasMachines || pool.status?.zones !== undefined) return pool;
  if (plan?.controlPlane.topology !== 'MultiZone') return pool;
  const { items } = await cloud.cache.computeZones.refreshAfter(cloud.now() - MAX_AGE_MS, signal);
  const zones = [...items.values()]
    .filter(({ zoneState }) => zoneState.available)
    .map(({ zoneName }) => zoneName)
    .filter((name) => name.length <= MAX_NAME_LENGTH)
    .sort()
    .slice(0, MAX_ZONES);
  // With only one zone, there is no choice, and it need not be specified.
  if (zones.length < 2) return pool;
  const status = { ...pool.status, zones };
  await writeStatus(client, pool, status);
  return { ...pool, status };
}
