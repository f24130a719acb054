import { findByIdOrName } from '@fairway/api/admission/references';
import { ConditionReason } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import type { ControllerDependencies } from '../dependencies.ts';
import { requireActiveCluster } from './active-cluster.ts';
import { chooseImage } from './images.ts';
import { allowedImages, disallowedMachines } from './plan-allowance.ts';
import { ensureServerGroup } from './server-group.ts';

/** What the cloud knows a flavor by. */
export interface FlavorInCloud {
  readonly id: string;
  readonly name: string;
}

/** What the names in a pool's template are in its cloud, or what the user must fix first. */
export type TemplateInCloud =
  | { readonly problem: Problem }
  | {
      readonly problem?: undefined;
      /** Why the plan allows no more machines of it. */
      readonly disallowed: Problem | undefined;
      /** Their ids. */
      readonly image: string;
      /** Undefined where the cloud has no such flavor: each machine says so. */
      readonly flavor: FlavorInCloud | undefined;
      /** Undefined without antiAffinity. */
      readonly serverGroupID: string | undefined;
    };

export interface LookedUp {
  readonly cluster: Cluster | undefined;
  readonly cloud: ProjectCloud;
  /** How old the lists may be. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** Looks the names up, and makes the server group that there has to be. Rejects with the cloud's error. */
export async function templateInCloud(
  { cache, client, defaultImage }: Pick<ControllerDependencies, 'cache' | 'client' | 'defaultImage'>,
  pool: NodePool,
  { cluster, cloud, maxAgeMs, signal }: LookedUp,
): Promise<TemplateInCloud> {
  await requireOwnProject(cloud, cluster);
  const sinceMs = cloud.now() - maxAgeMs;
  const [images, flavors] = await Promise.all([
    cloud.cache.images.refreshAfter(sinceMs, signal),
    cloud.cache.flavors.refreshAfter(sinceMs, signal),
  ]);
  const flavor = findByIdOrName([...flavors.items.values()], pool.spec.flavor);
  const wanted = pool.spec.image ?? cluster?.spec.image ?? defaultImage;
  const plan = cluster && cache.plans.get(cluster.spec.plan);
  const offered = [...images.items.values()];
  const image = chooseImage(wanted === undefined ? allowedImages(offered, plan) : offered, wanted);
  if (image === undefined) {
    const message =
      wanted === undefined
        ? 'the cloud has no Ubuntu or Debian image to choose from; name one in spec.image'
        : `spec.image: the cloud has no active image ${wanted}`;
    return { problem: { reason: ConditionReason.ImageNotFound, message } };
  }
  const disallowed = disallowedMachines(pool, plan, { flavor, image });
  const named = flavor && { id: flavor.id, name: flavor.name };
  const found = { image: image.id, disallowed, flavor: named };
  if (!pool.spec.antiAffinity) return { ...found, serverGroupID: undefined };
  const owner = { clusterUid: cluster ? identityOf(cluster) : '', poolUid: identityOf(pool) };
  const confirm = () => requireActiveCluster(client, cluster, signal);
  const serverGroupID = await ensureServerGroup(cloud, owner, pool.status?.serverGroupID, {
    signal,
    confirm,
    maxAgeMs,
  });
  return { ...found, serverGroupID };
}
