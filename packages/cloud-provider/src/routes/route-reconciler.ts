import { isBeingEmptied } from '@fairway/api/domain/reset';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { HostRoute, Router } from '@fairway/openstack/types/network';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { isOfProject, ownedBy, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
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

/** Maximum delay until foreign changes of the router are detected, by one list for all clusters of a project. */
const CHECK_MS = 60_000;
/** Rate limit per node condition: someone in the tenant's cluster may keep overwriting our changes. */
const WRITES: Rate = { burst: 20, perMinute: 4 };
const MAX_NODES = 100_000;

/** Whether the cluster's pod network uses routes of its router. */
export function hasPodRoutes(cluster: Cluster | undefined): cluster is Cluster {
  return cluster?.spec.network.podRoutes === 'Router';
}

/** Gives the routers of clusters without an overlay a route to each node's pods, as the route controller of a cloud provider does. */
export class RouteReconciler {
  readonly #dependencies: RouteDependencies;
  readonly #pairs = new PodAddressPairs();
  readonly #writes = new TokenBuckets(WRITES, MAX_NODES);

  constructor(dependencies: RouteDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Cluster's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, conventions, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (!hasPodRoutes(cluster) || isPaused(cluster) || cluster.metadata.deletionTimestamp !== undefined) return {};
    const tenant = tenants.get(identityOf(cluster));
    const cloud = clouds.of(key, cluster.spec.credentialName);
    const { podCIDR, network } = cluster.status ?? {};
    const { nodesCIDR, routerID } = network ?? {};
    // The nodes of a cluster that is being wiped will be deleted, whatever its API reports.
    const isEmptied = isBeingEmptied(cluster);
    if (cloud === undefined || (tenant === undefined && !isEmptied) || podCIDR === undefined) return {};
    if (nodesCIDR === undefined || routerID === undefined) return {};
    const pass = new Pass(context, clock);
    const { signal } = pass;
    const item = identityOf(cluster);
    const nodes = tenant && !isEmptied ? this.#nodesOf(tenant, cluster) : [];
    const planOf = (present: readonly HostRoute[]) =>
      planRoutes({ podCIDR, nodesCIDR, present, nodes: nodes.map(({ routed }) => routed) });
    const named = { id: routerID, isTakenUnmarked: conventions.takesUnmarkedRouter };
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
      const route = plan.wanted.get(node.metadata.name ?? '');
      return route && machine?.status?.serverID ? [{ serverID: machine.status.serverID, route }] : [];
    });
    await pass.run(() =>
      attempts.withBackoff({ kind: 'address pairs', item }, () => this.#pairs.ensure(cloud, open, podCIDR, signal)),
    );
    // What could not be read is left unchanged.
    if (found.failure === undefined && tenant) {
      for (const each of nodes) await this.#patchCondition(pass, tenant, each, stateOf(each, plan, present, problem));
    }
    pass.requeueAfter(CHECK_MS);
    return pass.end();
  }

  /** The cluster's nodes that belong to Fairway; other nodes get no routes. */
  #nodesOf(tenant: TenantCluster, { metadata }: Cluster): readonly NodeOfMachine[] {
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
    { node }: NodeOfMachine,
    state: RouteState | undefined,
  ): Promise<void> {
    const { attempts, clock, events } = this.#dependencies;
    const { name = '', uid = '' } = node.metadata;
    const condition = state && routeCondition(node, state);
    if (condition === undefined) return;
    if (!this.#writes.take(uid, clock.now())) return;
    const now = formatTime(clock.now());
    const conditions = [{ ...condition, lastTransitionTime: now, lastHeartbeatTime: now }];
    const patch = { type: 'strategic', value: { status: { conditions } } } as const;
    const client = tenant.client.resource(tenantNodes);
    const write = () => ofTenant(ignoreGone(client.patch(name, patch, { subresource: 'status', signal: pass.signal })));
    const { failure } = await pass.run(() => attempts.withBackoff({ kind: 'route condition', item: uid }, write));
    if (failure === undefined && condition.status === 'True') {
      events.of(tenant).warning(asNode(node), 'FailedToCreateRoute', condition.message);
    }
  }
}

interface NodeOfMachine {
  readonly node: TenantNode;
  readonly machine: Machine | undefined;
  readonly routed: Parameters<typeof planRoutes>[0]['nodes'][number];
}

/** Undefined while the data for a node's route is missing. */
function stateOf(
  { routed }: NodeOfMachine,
  { wanted, refused }: RoutePlan,
  present: readonly HostRoute[],
  problem: string,
): RouteState | undefined {
  const message = refused.get(routed.name);
  if (message !== undefined) return { kind: 'unrouted', message: `no route to the node's pods: ${message}` };
  const route = wanted.get(routed.name);
  if (route === undefined) return undefined;
  if (has(present, route)) return { kind: 'routed' };
  return { kind: 'unrouted', message: `no route to the node's pods yet: ${problem}` };
}

interface NamedRouter {
  readonly id: string;
  /** Whether it is managed although it lacks the cluster's ownership tag. */
  readonly isTakenUnmarked: boolean;
}

/** The cluster's own router, at most a minute old. Rejects with the cloud's error; undefined if Fairway did not create it. */
async function findRouter(cloud: ProjectCloud, cluster: Cluster, named: NamedRouter): Promise<Router | undefined> {
  await requireOwnProject(cloud, cluster);
  const { routers } = cloud.ledgers;
  await cloud.cache.routers.refreshAfter(cloud.reliableFromMs(routers, CHECK_MS - 1_000));
  return routerOf(cloud, cluster, named, await cloud.client.session.projectId());
}

function routerOf(
  cloud: ProjectCloud,
  cluster: Cluster,
  { id: routerID, isTakenUnmarked }: NamedRouter,
  projectID = cluster.status?.projectID ?? '',
) {
  const owner = { projectID, clusterUid: identityOf(cluster) };
  const { items, listedAtMs } = cloud.cache.routers.snapshot();
  const all = [...items.values()];
  const listed = isTakenUnmarked
    ? all.filter((router) => router.id === routerID && isOfProject(router, projectID))
    : ownedBy(all, owner, 'router');
  const state = cloud.ledgers.routers.observe(ownerDescription(owner.clusterUid, 'router'), listed, listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettling('router', state.untilMs);
  return state.items.find(({ id }) => id === routerID);
}

/** Removes routes first: otherwise a range reassigned to another node would have two routes. Returns the router afterwards. */
async function changeRoutes(
  cloud: ProjectCloud,
  cluster: Cluster,
  router: Router,
  { add, remove }: RoutePlan,
  signal: AbortSignal,
): Promise<Router> {
  const { routers } = cloud.client.network;
  const note = (changed: Router) => {
    cloud.ledgers.routers.recordMade(ownerDescription(identityOf(cluster), 'router'), changed, cloud.now());
    return changed;
  };
  try {
    let current = router;
    if (remove.length > 0) current = note(await routers.removeRoutes(router.id, remove, { signal }));
    if (add.length > 0) current = note(await addRoutes(cloud, router.id, add, note, signal));
    return current;
  } catch (error) {
    if (isOpenStackError(error)) cloud.cache.routers.invalidate();
    throw error;
  }
}

/** Neutron's message for a router at the operator's route limit. */
const FULL = /number of routes exceeds the maximum/i;

/** Changes all at once. If the cloud rejects that, one by one: a rejected route must not affect other nodes. */
async function addRoutes(
  cloud: ProjectCloud,
  routerID: string,
  add: readonly HostRoute[],
  note: (router: Router) => Router,
  signal: AbortSignal,
): Promise<Router> {
  const { routers } = cloud.client.network;
  try {
    return await routers.addRoutes(routerID, add, { signal });
  } catch (error) {
    if (!isOpenStackError(error, 'badRequest') || add.length === 1) throw error;
  }
  const refusals: OpenStackError[] = [];
  for (const route of add) {
    try {
      note(await routers.addRoutes(routerID, [route], { signal }));
    } catch (error) {
      if (!isOpenStackError(error, 'badRequest')) throw error;
      refusals.push(error);
      if (FULL.test(error.detail)) break;
    }
  }
  if (refusals[0]) throw refusals[0];
  return await routers.get(routerID, { signal });
}
