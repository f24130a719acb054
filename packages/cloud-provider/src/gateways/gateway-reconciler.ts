import { identityOf } from '@fairway/api/identity';
import { isPaused } from '@fairway/api/pause';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { hasLoadBalancers, ofOwner } from '@fairway/tenancy/cloud/balancing';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { removeBalancer } from '../load-balancers/balancer-removal.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { readSecrets, type TenantSecrets } from '../tls/tenant-secrets.ts';
import type { Progress } from './conditions.ts';
import type { GatewayKeeper, GatewayKeeperDependencies, GatewayTask } from './gateway-keeper.ts';
import { ownerOfKey } from './gateway-key.ts';
import type { GatewayScope, LivingGateway } from './gateway-scope.ts';
import { gatewayStatusOf } from './gateway-status.ts';
import { GATEWAY_ANNOTATION } from './gateway-wishes.ts';
import { tellGateway, tellGone, tellRoute } from './gateway-writer.ts';
import { type Judgement, judge, secretsOfGateway } from './judgement.ts';
import { Gateways } from './kinds.ts';
import { isAccepted } from './listeners.ts';
import { parentsOf, parentsWithout } from './route-status.ts';
import { CLEANUP_FINALIZER, TenantGateways } from './tenant-gateways.ts';

export interface GatewayReconcilerDependencies
  extends GatewayKeeperDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'conventions' | 'tenants' | 'attempts' | 'random' | 'log'> {
  readonly keeper: GatewayKeeper;
  readonly secrets: TenantSecrets;
}

const NO_OCTAVIA =
  "this cloud has no load balancers: there is no load-balancer service (Octavia) in its catalog; run a controller of the Gateway API in the cluster, or ask the cloud's operator";

/** Load balancers for Gateways, in all tenants' clusters. */
export class GatewayReconciler {
  readonly #dependencies: GatewayReconcilerDependencies;

  constructor(dependencies: GatewayReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key`: see `gatewayKey`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clouds, conventions, secrets, tenants } = this.#dependencies;
    const owner = ownerOfKey(key);
    const tenant = tenants.get(owner.clusterUid);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) {
      this.#end(key);
      return {};
    }
    const gateways = TenantGateways.of(tenant, this.#dependencies);
    if (!gateways.isReady || !servicesOf(tenant).hasSynced) return {};
    const isLeft = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isLeft || isPaused(cluster) || cloud === undefined) return {};
    const place = { key, owner, tenant, cluster, cloud, gateways };
    const gateway = gateways.byUid(owner.gatewayUid);
    if (gateway === undefined) return this.#finish(place, context);
    if (isBeingDeleted(gateway) || !gateways.isServed(gateway)) return this.#finish({ ...place, gateway }, context);
    const settings = conventions.loadBalancersOf(cluster, cloud);
    if (settings === undefined || !gateways.knowsNamespacesOf(gateway)) return {};
    const around = gateways.around(gateway);
    const certificateOf = readSecrets(secretsOfGateway(gateway, around), (names) => secrets.see(tenant, key, names));
    // It comes again when they are read.
    if (certificateOf === undefined) return {};
    const judgement = judge(gateway, settings, { ...around, certificateOf });
    return this.#serve({ ...place, gateway }, { settings, ...judgement }, context);
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { secrets, tenants, watch } = this.#dependencies;
    for (const key of new Set([...watch.keys(), ...secrets.users()])) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey === undefined || isMatching(clusterKey)) this.#end(key);
    }
  }

  async #serve(place: Living, judgement: Judged, context: ReconcileContext): Promise<Result> {
    const { attempts, certificates, clock, watch } = this.#dependencies;
    const { cloud, key } = place;
    const pass = new Pass(context, clock);
    const { value, failure } = await pass.run(() =>
      attempts.make({ kind: LOAD_BALANCER, item: key }, async () =>
        this.#wanted(await scopeOf(place, pass), judgement),
      ),
    );
    if (failure !== undefined) this.#warn(place, failure);
    await pass.run(() =>
      attempts.make({ kind: CERTIFICATES, item: key }, async () => {
        // It looks again in a moment.
        if (await certificates.tidy(await scopeOf(place, pass))) watch.expect(cloud, key, 'update');
      }),
    );
    if (failure === undefined) pass.againIn(watch.lookInMs(key, clock.now()));
    const progress = value ?? pendingBy(failure);
    await pass.run(() =>
      attempts.make({ kind: STATUS, item: key }, () =>
        this.#tell({ ...place, signal: pass.signal }, judgement, progress),
      ),
    );
    return pass.end();
  }

  async #finish(place: Known & Partial<Living>, context: ReconcileContext): Promise<Result> {
    const { attempts, clock, watch } = this.#dependencies;
    const { gateway, key } = place;
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.make({ kind: LOAD_BALANCER, item: key }, async () => {
        if (gateway === undefined) return this.#forgotten(await scopeOf(place, pass), pass);
        const living = { ...place, gateway, signal: pass.signal };
        await this.#leaveRoutes(living);
        if (!hasFinalizer(gateway, CLEANUP_FINALIZER)) return this.#end(key);
        return this.#unwanted({ ...living, ...(await scopeOf(place, pass)) }, pass);
      }),
    );
    if (failure === undefined) pass.againIn(watch.lookInMs(key, clock.now()));
    else if (gateway) this.#warn({ ...place, gateway }, failure);
    return pass.end();
  }

  async #wanted(scope: LivingGateway, { judged, warnings, ...task }: Judged): Promise<Progress> {
    const { events, keeper } = this.#dependencies;
    const { cloud, gateway, tenant } = scope;
    for (const { reason, message } of warnings) events.warning(tenant, gateway, reason, message, message);
    if (!(await hasLoadBalancers(cloud))) return this.#refuse(scope, 'NoResources', NO_OCTAVIA);
    // What there is already loses listeners that are not accepted, and is left alone where none of it can be read.
    const isLeft = judged.refused !== undefined;
    const isNew = !hasFinalizer(gateway, CLEANUP_FINALIZER);
    if (isLeft || (isNew && !judged.listeners.some(isAccepted))) return NOT_ACCEPTED;
    try {
      return await keeper.keep(scope, { ...task, listeners: judged.listeners });
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      return this.#refuse(scope, 'AddressNotUsable', error.message);
    }
  }

  #refuse({ gateway, tenant }: Pick<Living, 'gateway' | 'tenant'>, reason: string, message: string): Progress {
    this.#dependencies.events.warning(tenant, gateway, 'Failed', message);
    return { kind: 'refused', reason, message };
  }

  async #tell(place: Living & { readonly signal: AbortSignal }, judgement: Judged, progress: Progress): Promise<void> {
    const nowMs = this.#dependencies.clock.now();
    await tellGateway(place, gatewayStatusOf(judgement.judged, progress, nowMs));
    for (const outcome of judgement.routing.routes) {
      place.signal.throwIfAborted();
      await tellRoute(place, outcome.route, parentsOf(outcome, place.gateway.metadata, nowMs));
    }
  }

  /** They are no longer this Gateway's. */
  async #leaveRoutes(place: Living & { readonly signal: AbortSignal }): Promise<void> {
    const { metadata } = place.gateway;
    for (const route of place.gateways.routesOf(metadata)) {
      place.signal.throwIfAborted();
      await tellRoute(place, route, parentsWithout(route, metadata));
    }
  }

  async #unwanted(scope: LivingGateway, pass: Pass): Promise<void> {
    const { attempts, certificates, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const removed = (await hasLoadBalancers(cloud))
      ? await removeBalancer(scope, keptOf(scope), this.#dependencies)
      : { isGone: true };
    if (!removed.isGone) return pass.againIn(removed.againInMs);
    await certificates.remove(scope);
    await tellGone(scope);
    events.normal(tenant, gateway, 'Deleted', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#end(key);
    attempts.forget(key);
  }

  /** The Gateway is gone: by its finalizer's removal, and nothing is left; or by somebody's force, or with its kind. */
  async #forgotten(scope: GatewayScope, pass: Pass): Promise<void> {
    const { certificates } = this.#dependencies;
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isLeft = ofOwner(listed, projectID, owner).some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (isLeft || (await certificates.isAnyLeft(scope))) {
      // The cache may be a moment behind: only what the API server holds counts here.
      if (await isThere(tenant, owner.gatewayUid, pass.signal)) return;
      pass.signal.throwIfAborted();
      const { isGone, againInMs } = await removeBalancer(scope, undefined, this.#dependencies);
      if (!isGone) return pass.againIn(againInMs);
      await certificates.remove(scope);
    }
    this.#end(key);
  }

  #end(key: string): void {
    const { certificates, cure, keeper, memory, policies, secrets, watch } = this.#dependencies;
    watch.end(key);
    memory.forget(key);
    cure.forget(key);
    policies.forget(key);
    keeper.forget(key);
    certificates.forget(key);
    secrets.forget(key);
  }

  #warn({ tenant, gateway }: Pick<Living, 'gateway' | 'tenant'>, { reason, message, party }: Failure): void {
    // Still under way; or the cluster's own API fails, which would not take this either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    this.#dependencies.events.warning(tenant, gateway, 'Failed', `${reason}: ${message}`);
  }
}

type Known = Omit<LivingGateway, 'gateway' | 'projectID' | 'signal'>;
type Living = Omit<LivingGateway, 'projectID' | 'signal'>;
type Judged = Judgement & Pick<GatewayTask, 'settings'>;

const LOAD_BALANCER = 'load balancer';
/** Those that nothing serves any more: what works does not wait for their end. */
const CERTIFICATES = 'surplus certificates';
const STATUS = 'status of Gateway';
const NOT_ACCEPTED: Progress = { kind: 'pending', message: 'nothing of it is accepted' };

async function scopeOf<P extends Known>(place: P, { signal }: Pass) {
  const projectID = await place.cloud.client.session.projectId();
  return { ...place, projectID, signal };
}

function pendingBy(failure: Failure | undefined): Progress {
  const isUnderWay = failure === undefined || failure.reason === 'Provisioning';
  return {
    kind: 'pending',
    message: isUnderWay ? 'the load balancer is being made' : `${failure.reason}: ${failure.message}`,
  };
}

async function isThere({ client }: TenantCluster, uid: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { items } = await client.metadata(Gateways).list({ signal });
    return items.some(({ metadata }) => metadata.uid === uid);
  } catch (error) {
    // There are none without their kind.
    if (isApiError(error, 'NotFound')) return false;
    return ofTenant(Promise.reject(error));
  }
}

/** Neutron's limit of a description. */
const MAX_DESCRIPTION = 255;

/** What the floating IP of a Gateway that keeps it is called from then on. */
function keptOf({ cluster, gateway }: LivingGateway): { readonly as: string } | undefined {
  const { annotations, namespace, name } = gateway.metadata;
  if (annotations?.[GATEWAY_ANNOTATION.keepFloatingIP] !== 'true') return undefined;
  const words = `Floating IP kept of Kubernetes Gateway ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  return { as: words.slice(0, MAX_DESCRIPTION) };
}
