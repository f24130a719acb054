import { isBeingWiped } from '@fairway/api/domain/reset';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { HostRoute, Router } from '@fairway/openstack/types/network';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { isOfProject, ownedBy, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { asNode } from '../tenant-events.ts';
import { PodAddressPairs } from './pod-address-pairs.ts';
import { type RouteState, routeCondition } from './route-condition.ts';
import { has, planRoutes, type RoutePlan } from './route-plan.ts';

type RouteDependencies = Pick<
  CloudProviderDependencies,
  'cache' | 'clouds' | 'tenants' | 'attempts' | 'events' | 'clock' | 'conventions'
>;

/**
 * Maximum delay until changes that others make to the router are detected. One list call serves all clusters in a
 * project.
 */
const CHECK_INTERVAL_MS = 60_000;
/** Rate limit per node condition: someone in the tenant's cluster may keep overwriting our changes. */
const WRITE_RATE: Rate = { burst: 20, perMinute: 4 };
const MAX_NODES = 100_000;

/** Whether the cluster's pod network uses routes on its router. */
export function hasPodRoutes(cluster: Cluster | undefined): cluster is Cluster {
  return cluster?.spec.network.podRoutes === 'Router';
}

/**
 * Provides the routers of clusters without an overlay network with a route to each node's pods, as the route controller
 * of a cloud provider does.
 */
export class RouteReconciler {
  readonly #dependencies: RouteDependencies;
  readonly #pairs = new PodAddressPairs();
  readonly #writes = new TokenBuckets(WRITE_RATE, MAX_NODES);

  constructor(dependencies: RouteDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is the key of a Cluster. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, conventions, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (!hasPodRoutes(cluster) || isPaused(cluster) || cluster.metadata.deletionTimestamp !== undefined) return {};
    const tenant = tenants.get(identityOf(cluster));
    const cloud = clouds.of(key, cluster.spec.credentialName);
    const { podCIDR, network } = cluster.status ?? {};
    const { nodesCIDR, routerID } = network ?? {};
    // The nodes of a cluster that is being wiped will be deleted, regardless of what its API reports.
    const isEmptied = isBeingWiped(cluster);
    if (cloud === undefined || (tenant === undefined && !isEmptied) || podCIDR === undefined) return {};
    if (nodesCIDR === undefined || routerID === undefined) return {};
    const pass = new Pass(context, clock);
    const { signal } = pass;
    const item = identityOf(cluster);
    const nodes = tenant && !isEmptied ? this.#nodesOf(tenant, cluster) : [];
    const planOf = (present: readonly HostRoute[]) =>
      planRoutes({ podCIDR, nodesCIDR, present, nodes: nodes.map(({ routed }) => routed) });
    const named = { id: routerID, isUnmarked: conventions.acceptsUnmarkedRouter };
    const found = await pass.run(() => findRouter(cloud, cluster, named));
    const router = found.value;
    let present = router?.routes ?? [];
    let problem = `router ${routerID} was not created by Fairway`;
    if (router) {
      const change = () =>
        attempts.withBackoff({ kind: 'routes', item }, () =>
          changeRoutes(cloud, cluster, router, planOf(present), signal),
        );
      const { value, failure } = await pass.run(change);
      present = value?.routes ?? routerOf(cloud, cluster, named)?.routes ?? present;
      problem = failure?.message ?? 'it is being created';
    }
    const plan = planOf(present);
    const open = nodes.flatMap(({ node, machine }) => {
      const route = plan.desired.get(node.metadata.name ?? '');
      return route && machine?.status?.serverID ? [{ serverID: machine.status.serverID, route }] : [];
    });
    await pass.run(() =>
      attempts.withBackoff({ kind: 'address pairs', item }, () => this.#pairs.ensure(cloud, open, podCIDR, signal)),
    );
    // The routes of anything that could not be read are left unchanged.
    if (found.failure === undefined && tenant) {
      for (const each of nodes) await this.#patchCondition(pass, tenant, each, stateOf(each, plan, present, problem));
    }
    pass.requeueAfter(CHECK_INTERVAL_MS);
    return pass.end();
  }

  /** The cluster's nodes that belong to Fairway; other nodes get no routes. */
  #nodesOf(tenant: TenantCluster, { metadata }: Cluster): readonly NodeWithMachine[] {
    const { cache } = this.#dependencies;
    return tenant.nodes.list().flatMap((node) => {
      const { name = '', creationTimestamp: createdTime = '' } = node.metadata;
      const machine = cache.machines.get(`${metadata.namespace}/${name}`);
      if (machine?.spec.clusterName !== metadata.name) return [];
      const routed = { name, createdTime, podCIDR: node.spec?.podCIDR, address: machine?.status?.address };
      return [{ node, machine, routed }];
    });
  }

  async #patchCondition(
    pass: Pass,
    tenant: TenantCluster,
    { node }: NodeWithMachine,
    state: RouteState | undefined,
  ): Promise<void> {
    const { attempts, clock, events } = this.#dependencies;
    const { name = '', uid = '' } = node.metadata;
    const condition = state && routeCondition(node, state);
    if (condition === undefined) return;
    if (!this.#writes.tryTake(uid, clock.now())) return;
    const now = formatTime(clock.now());
    const conditions = [{ ...condition, lastTransitionTime: now, lastHeartbeatTime: now }];
    const patch = { type: 'strategic', value: { status: { conditions } } } as const;
    const client = tenant.client.resource(tenantNodes);
    const write = () =>
      wrapTenantError(ignoreDeleted(client.patch(name, patch, { subresource: 'status', signal: pass.signal })));
    const { failure } = await pass.run(() => attempts.withBackoff({ kind: 'route condition', item: uid }, write));
    if (failure === undefined && condition.status === 'True') {
      events.of(tenant).warning(asNode(node), 'FailedToCreateRoute', condition.message);
    }
  }
}

interface NodeWithMachine {
  readonly node: TenantNode;
  readonly machine: Machine | undefined;
  readonly routed: Parameters<typeof planRoutes>[0]['nodes'][number];
}

/** Undefined while the data for a node's route is missing. */
function stateOf(
  { routed }: NodeWithMachine,
  { desired, refused }: RoutePlan,
  present: readonly HostRoute[],
  problem: string,
): RouteState | undefined {
  const message = refused.get(routed.name);
  if (message !== undefined) return { kind: 'unrouted', message: `no route to the node's pods: ${message}` };
  const route = desired.get(routed.name);
  if (route === undefined) return undefined;
  if (has(present, route)) return { kind: 'routed' };
  return { kind: 'unrouted', message: `no route to the node's pods yet: ${problem}` };
}

interface NamedRouter {
  readonly id: string;
  /** Whether the router is managed even though it lacks the cluster's ownership tag. */
  readonly isUnmarked: boolean;
}

/** The cluster's own router, at most a minute old. Rejects with the cloud's error; undefined if Fairway did not create it. */
async function findRouter(cloud: ProjectCloud, cluster: Cluster, named: NamedRouter): Promise<Router | undefined> {
  await requireOwnProject(cloud, cluster);
  const { routers } = cloud.ledgers;
  await cloud.cache.routers.refreshAfter(cloud.reliableFromMs(routers, CHECK_INTERVAL_MS - 1_000));
  return routerOf(cloud, cluster, named, await cloud.client.session.projectId());
}

function routerOf(
  cloud: ProjectCloud,
  cluster: Cluster,
  { id: routerID, isUnmarked }: NamedRouter,
  projectID = cluster.status?.projectID ?? '',
) {
  const owner = { projectID, clusterUid: identityOf(cluster) };
  const { items, listedAtMs } = cloud.cache.routers.snapshot();
  const all = [...items.values()];
  const listed = isUnmarked
    ? all.filter((router) => router.id === routerID && isOfProject(router, projectID))
    : ownedBy(all, owner, 'router');
  const state = cloud.ledgers.routers.observe(ownerDescription(owner.clusterUid, 'router'), listed, listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError('router', state.untilMs);
  return state.items.find(({ id }) => id === routerID);
}

/**
 * Removes routes first: otherwise a range that was reassigned to another node would have two routes. Returns the router
 * with the changed routes.
 */
async function changeRoutes(
  cloud: ProjectCloud,
  cluster: Cluster,
  router: Router,
  { add, remove }: RoutePlan,
  signal: AbortSignal,
): Promise<Router> {
  const { routers } = cloud.client.network;
  const recordChange = (changed: Router) => {
    cloud.ledgers.routers.recordWritten(ownerDescription(identityOf(cluster), 'router'), changed, cloud.now());
    return changed;
  };
  try {
    let current = router;
    if (remove.length > 0) current = recordChange(await routers.removeRoutes(router.id, remove, { signal }));
    if (add.length > 0) current = recordChange(await addRoutes(cloud, router.id, add, recordChange, signal));
    return current;
  } catch (error) {
    if (isOpenStackError(error)) cloud.cache.routers.invalidate();
    throw error;
  }
}

/** Neutron's message for a router at the operator's route limit. */
const ROUTE_LIMIT_MESSAGE = /number of routes exceeds the maximum/i;

/**
 * Adds all routes in one call. If the cloud rejects that call, adds them one by one, so a rejected route does not
 * affect other nodes.
 */
async function addRoutes(
  cloud: ProjectCloud,
  routerID: string,
  add: readonly HostRoute[],
  recordChange: (router: Router) => Router,
  signal: AbortSignal,
): Promise<Router> {
  const { routers } = cloud.client.network;
  try {
    return await routers.addRoutes(routerID, add, { signal });
  } catch (error) {
    if (!isOpenStackError(error, 'badRequest') || add.length === 1) throw error;
  }
  const routeErrors: OpenStackError[] = [];
  for (const route of add) {
    try {
      recordChange(await routers.addRoutes(routerID, [route], { signal }));
    } catch (error) {
      if (!isOpenStackError(error, 'badRequest')) throw error;
      routeErrors.push(error);
      if (ROUTE_LIMIT_MESSAGE.test(error.detail)) break;
    }
  }
  if (routeErrors[0]) throw routeErrors[0];
  return await routers.get(routerID, { signal });
}
