import { findByIdOrName } from '@fairway/api/admission/references';
import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { chooseImage } from '@fairway/api/domain/image-choice';
import { allowanceProblem } from '@fairway/api/domain/plan-allowance';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool, NodePoolSpec } from '@fairway/api/kinds/node-pool';
import { isHardAntiAffinity } from '@fairway/api/kinds/pool-bounds';
import { refusalOf } from '@fairway/api/limits/notes';
import { findCondition } from '@fairway/kube/controller/conditions';
import { catalogueImage } from '@fairway/tenancy/cloud/catalogue-image';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import { lookUpNetworks, type NetworkLookupOptions } from '../additional-networks.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import { requireActiveCluster } from './active-cluster.ts';
import { allowedImages, disallowedMachines } from './plan-allowance.ts';
import { ensureServerGroup } from './server-group.ts';

/** How the cloud identifies a flavor. */
export interface FlavorInCloud {
  readonly id: string;
  readonly name: string;
}

/** The resolved names of a pool's template in its cloud, or the problem that the user must fix first. */
export type TemplateInCloud =
  | { readonly problem: Problem }
  | {
      readonly problem?: undefined;
      /**
       * Why no more machines may be created from the template: the plan does not allow them, or one of its networks
       * does not meet the requirements.
       */
      readonly disallowed: Problem | undefined;
      /** The ID of the image. */
      readonly image: string;
      /** Undefined if the cloud has no such flavor: each machine reports it. */
      readonly flavor: FlavorInCloud | undefined;
      /** Undefined without antiAffinity. */
      readonly serverGroupID: string | undefined;
      /** When to check again, if the user must change something in the cloud. */
      readonly recheckAfterMs?: number;
    };

export interface LookupResult {
  readonly cluster: Cluster | undefined;
  readonly cloud: ProjectCloud;
  /** Maximum age of the lists. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** How soon networks that do not meet the requirements are checked again. */
const NETWORKS_RETRY_MS = 60_000;

/** Why no more machines can be created in the pool's networks. Rejects with the cloud's error. */
async function networkProblem(pool: NodePool, lookup: NetworkLookupOptions): Promise<Problem | undefined> {
  const { spec } = pool;
  // A network that was created right before the pool must not be reported as missing.
  const requiredSinceMs = lookup.cloud.now() - (reportsNetworkProblem(pool) ? NETWORKS_RETRY_MS : 0);
  let { since } = lookup;
  for (;;) {
    const { problem } = await lookUpNetworks(spec.networks, { ...lookup, since });
    if (problem === undefined) return disallowedNetworks(spec.networks, lookup);
    // The network or subnet may have been created since then, so the list that would contain it is fetched again.
    const list = problem.reason === ConditionReason.NetworkNotFound ? 'networksMs' : 'subnetsMs';
    if (since[list] >= requiredSinceMs) return problem;
    since = { ...since, [list]: requiredSinceMs };
  }
}

const NETWORK_REASONS: ReadonlySet<string> = new Set<ConditionReason>([
  ConditionReason.NetworkNotFound,
  ConditionReason.SubnetNotFound,
  ConditionReason.AddressRangeOverlap,
]);

/** Whether the current pool already reports a problem with its networks. */
function reportsNetworkProblem({ metadata, status }: NodePool): boolean {
  const condition = findCondition(status?.conditions, ConditionType.Ready);
  return condition?.observedGeneration === metadata.generation && NETWORK_REASONS.has(condition?.reason ?? '');
}

/** The problem of the first network that the plan does not allow; undefined if it allows them all. */
function disallowedNetworks(
  networks: NodePoolSpec['networks'],
  { cloud, plan }: NetworkLookupOptions,
): Problem | undefined {
  for (const [index, { networkID: id }] of (networks ?? []).entries()) {
    const { name } = cloud.cache.networks.snapshot().items.get(id) ?? {};
    const problem = plan && allowanceProblem(plan, 'networks', { id, name });
    const why = plan && refusalOf(plan, { limit: 'allowed.networks', value: id, problem }, cloud.now());
    if (why === undefined) continue;
    const message = `spec.networks[${index}].networkID: ${id}: ${why}. Existing nodes are unaffected`;
    return { reason: ConditionReason.PlanLimitExceeded, message };
  }
  return undefined;
}

/** Resolves the names, and creates the server group if required. Rejects with the cloud's error. */
export async function templateInCloud(
  { cache, client, defaultImage }: Pick<ControllerDependencies, 'cache' | 'client' | 'defaultImage'>,
  pool: NodePool,
  { cluster, cloud, maxAgeMs, signal }: LookupResult,
): Promise<TemplateInCloud> {
  await requireOwnProject(cloud, cluster);
  const sinceMs = cloud.now() - maxAgeMs;
  const [images, flavors] = await Promise.all([
    cloud.cache.images.refreshAfter(sinceMs, signal),
    cloud.cache.flavors.refreshAfter(sinceMs, signal),
  ]);
  const flavor = findByIdOrName([...flavors.items.values()], pool.spec.flavor);
  const requestedImage = pool.spec.image ?? cluster?.spec.image ?? defaultImage;
  const plan = cluster && cache.plans.get(cluster.spec.plan);
  const offered = [...images.items.values()].map(catalogueImage);
  const image = chooseImage(requestedImage === undefined ? allowedImages(offered, plan) : offered, requestedImage);
  if (image === undefined) {
    const message =
      requestedImage === undefined
        ? 'the cloud has no public Ubuntu or Debian image; specify one in spec.image'
        : `spec.image: the cloud has no active image ${requestedImage}`;
    return { problem: { reason: ConditionReason.ImageNotFound, message } };
  }
  const networksProblem = await networkProblem(pool, {
    cloud,
    cluster,
    plan,
    since: { networksMs: sinceMs, subnetsMs: sinceMs },
    signal,
  });
  const disallowed = disallowedMachines(pool, plan, { cluster, flavor, image, nowMs: cloud.now() }) ?? networksProblem;
  const named = flavor && { id: flavor.id, name: flavor.name };
  const found = {
    image: image.id,
    disallowed,
    flavor: named,
    ...(networksProblem && { recheckAfterMs: NETWORKS_RETRY_MS }),
  };
  if (!pool.spec.antiAffinity) return { ...found, serverGroupID: undefined };
  const owner = { clusterUid: cluster ? identityOf(cluster) : '', poolUid: identityOf(pool) };
  const confirm = () => requireActiveCluster(client, cluster, signal);
  const serverGroupID = await ensureServerGroup(cloud, owner, pool.status?.serverGroupID, {
    policy: isHardAntiAffinity(pool.spec) ? 'anti-affinity' : 'soft-anti-affinity',
    signal,
    confirm,
    maxAgeMs,
  });
  return { ...found, serverGroupID };
}
