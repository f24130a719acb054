import { ConditionType } from '@fairway/api/conditions';
import { nodeSettingsOf } from '@fairway/api/domain/node-settings';
import { poolZones } from '@fairway/api/domain/pool-zones';
import { authoritiesOf } from '@fairway/api/domain/required-update';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { isConditionTrueOf } from '@fairway/kube/controller/conditions';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { describeLoginProblem } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { blockerOf } from './blocker.ts';
import type { PoolMachines } from './pool-machines.ts';
import { type FlavorInCloud, templateInCloud } from './template-in-cloud.ts';
import { ensureZones } from './zones.ts';

const RESYNC_INTERVAL_MS = 600_000;
/**
 * Maximum age of the lists of images, flavors and server groups while no machine needs to be created: every second pass
 * refreshes them.
 */
const MAX_AGE_SETTLED_MS = 2 * RESYNC_INTERVAL_MS - 10_000;
/** How often to check for an image. */
const IMAGE_RETRY_MS = 60_000;

export interface TemplateOptions {
  readonly dependencies: Pick<
    ControllerDependencies,
    'client' | 'cache' | 'tenants' | 'events' | 'defaultImage' | 'clock'
  >;
  readonly machines: PoolMachines;
}

/** A pass's findings about the desired machines, or why there cannot be any now. */
export interface DesiredTemplate {
  readonly desired?: DesiredMachine;
  readonly disallowed?: Problem | undefined;
  readonly flavor?: FlavorInCloud | undefined;
  readonly serverGroupID?: string | undefined;
  /** The zones to use for a pool that specifies none. */
  readonly chosenZones?: readonly string[] | undefined;
  readonly problem?: Problem;
}

/** The desired machines of a pool, with names resolved in the cloud. */
export async function desiredMachines(
  { dependencies, machines }: TemplateOptions,
  pool: NodePool,
  cluster: Cluster | undefined,
  cloud: ProjectCloud | undefined,
  pass: Pass,
): Promise<DesiredTemplate> {
  pass.requeueAfter(RESYNC_INTERVAL_MS);
  const blocker = blockerOf(pool, cluster, cloud);
  const version = cluster?.status?.version;
  if (blocker || !cloud || version === undefined) return blocker ? { problem: blocker } : {};
  const maxAgeMs = hasSettled(pool) ? MAX_AGE_SETTLED_MS : RESYNC_INTERVAL_MS;
  const resolved = await pass.run(() =>
    templateInCloud(dependencies, pool, { cluster, cloud, maxAgeMs, signal: pass.signal }),
  );
  if (resolved.failure) return { problem: describeLoginProblem(resolved.failure, { cluster, cloud }) };
  if (resolved.value.problem) {
    pass.requeueAfter(IMAGE_RETRY_MS);
    return resolved.value;
  }
  const { disallowed, image, flavor, serverGroupID, recheckAfterMs } = resolved.value;
  pass.requeueAfter(recheckAfterMs);
  const zoned = await pass.run(() =>
    ensureZones(pool, {
      client: dependencies.client.resource(nodePools),
      plan: cluster && dependencies.cache.plans.get(cluster.spec.plan)?.spec,
      cloud,
      hasMachines: machines.of(pool).length > 0 || (pool.status?.replicas ?? 0) > 0,
      signal: pass.signal,
    }),
  );
  if (zoned.failure) return { problem: describeLoginProblem(zoned.failure, { cluster, cloud }) };
  const zones = poolZones(zoned.value);
  const resetTime = cluster?.status?.reset?.emptiedTime;
  const desired: DesiredMachine = {
    flavor: pool.spec.flavor,
    ...(flavor && { flavorIdentifiers: [flavor.id, flavor.name] }),
    image,
    version,
    zones,
    floatingIP: cluster !== undefined && machines.shareOf(pool, cluster, cloud).floatingIPs,
    ...(pool.spec.rootVolume && { rootVolume: pool.spec.rootVolume }),
    ...(pool.spec.networks && pool.spec.networks.length > 0 && { networks: pool.spec.networks }),
    ...(resetTime !== undefined && { resetTime }),
    ...(cluster && authoritiesOf(cluster)),
    ...nodeSettingsOf(pool, cluster),
  };
  return { desired, disallowed, flavor, serverGroupID, chosenZones: zoned.value.status?.zones };
}

/** Whether all of the pool's machines existed and matched its spec at the last check. */
function hasSettled({ metadata: { generation }, status }: NodePool): boolean {
  const types = [ConditionType.MachinesReady, ConditionType.UpToDate];
  return types.every((type) => isConditionTrueOf(status?.conditions, type, generation));
}
