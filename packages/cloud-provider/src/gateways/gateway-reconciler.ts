import { identityOf } from '@fairway/api/identity';
import { isPaused } from '@fairway/api/pause';
import { boundedPages, isAny } from '@fairway/kube/client/bounded-pages';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { hasLoadBalancers, ofOwner } from '@fairway/tenancy/cloud/load-balancers';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { keptFloatingIPNameFrom } from '../load-balancers/kept-floating-ip.ts';
import { removeLoadBalancer } from '../load-balancers/load-balancer-removal.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { readSecrets, type TenantSecrets } from '../tls/tenant-secrets.ts';
import type { Progress } from './conditions.ts';
import { ownerOfKey } from './gateway-key.ts';
import type {
  GatewayLoadBalancerReconciler,
  GatewayLoadBalancerReconcilerDependencies,
  GatewayTask,
} from './gateway-load-balancer.ts';
import type { GatewayScope, PresentGatewayScope } from './gateway-scope.ts';
import { gatewayStatusOf } from './gateway-status.ts';
import { type GatewayValidation, secretsOfGateway, validateGateway } from './gateway-validation.ts';
import { patchGatewayStatus, patchRouteStatus, releaseGateway } from './gateway-writer.ts';
import { Gateways } from './kinds.ts';
import { isAccepted } from './listeners.ts';
import { parentsOf, parentsWithout } from './route-status.ts';
import { GATEWAY_ANNOTATION } from './spec-from-gateway.ts';
import { CLEANUP_FINALIZER, TenantGateways } from './tenant-gateways.ts';

export interface GatewayReconcilerDependencies
  extends GatewayLoadBalancerReconcilerDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'conventions' | 'tenants' | 'attempts' | 'random' | 'log'> {
  readonly loadBalancers: GatewayLoadBalancerReconciler;
  readonly secrets: TenantSecrets;
}

const NO_OCTAVIA =
  'this cloud has no load balancers: its catalog has no load-balancer service (Octavia); run a controller of the Gateway API in the cluster, or ask the cloud operator';

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
    // It is enqueued again when they have been read.
    if (certificateOf === undefined) return {};
    const validation = validateGateway(gateway, settings, { ...around, certificateOf });
    return this.#serve({ ...place, gateway }, { settings, ...validation }, context);
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { secrets, tenants, watch } = this.#dependencies;
    for (const key of new Set([...watch.keys(), ...secrets.users()])) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey === undefined || isMatching(clusterKey)) this.#end(key);
    }
  }

  async #serve(place: Living, validation: Validated, context: ReconcileContext): Promise<Result> {
    const { attempts, certificates, clock, watch } = this.#dependencies;
    const { cloud, key } = place;
    const pass = new Pass(context, clock);
    const { value, failure } = await pass.run(() =>
      attempts.withBackoff({ kind: LOAD_BALANCER, item: key }, async () =>
        this.#wanted(await scopeOf(place, pass), validation),
      ),
    );
    if (failure !== undefined) this.#warn(place, failure);
    await pass.run(() =>
      attempts.withBackoff({ kind: CERTIFICATES, item: key }, async () => {
        // It is requeued shortly.
        if (await certificates.tidy(await scopeOf(place, pass))) watch.expect(cloud, key, 'update');
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    const progress = value ?? pendingBy(failure);
    await pass.run(() =>
      attempts.withBackoff({ kind: STATUS, item: key }, () =>
        this.#patchStatus({ ...place, signal: pass.signal }, validation, progress),
      ),
    );
    return pass.end();
  }

  async #finish(place: Known & Partial<Living>, context: ReconcileContext): Promise<Result> {
    const { attempts, clock, watch } = this.#dependencies;
    const { gateway, key } = place;
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: LOAD_BALANCER, item: key }, async () => {
        if (gateway === undefined) return this.#forgotten(await scopeOf(place, pass), pass);
        const living = { ...place, gateway, signal: pass.signal };
        await this.#leaveRoutes(living);
        if (!hasFinalizer(gateway, CLEANUP_FINALIZER)) return this.#end(key);
        return this.#unwanted({ ...living, ...(await scopeOf(place, pass)) }, pass);
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    else if (gateway) this.#warn({ ...place, gateway }, failure);
    return pass.end();
  }

  async #wanted(scope: PresentGatewayScope, { validated, warnings, ...task }: Validated): Promise<Progress> {
    const { events, loadBalancers } = this.#dependencies;
    const { cloud, gateway, tenant } = scope;
    for (const { reason, message } of warnings) events.warning(tenant, gateway, reason, message, message);
    if (!(await hasLoadBalancers(cloud))) return this.#refuse(scope, 'NoResources', NO_OCTAVIA);
    // An existing load balancer loses listeners that are no longer accepted; it is left alone if the Gateway cannot be parsed.
    const isLeft = validated.refused !== undefined;
    const isNew = !hasFinalizer(gateway, CLEANUP_FINALIZER);
    if (isLeft || (isNew && !validated.listeners.some(isAccepted))) return NOT_ACCEPTED;
    try {
      return await loadBalancers.ensureLoadBalancer(scope, { ...task, listeners: validated.listeners });
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      return this.#refuse(scope, 'AddressNotUsable', error.message);
    }
  }

  #refuse({ gateway, tenant }: Pick<Living, 'gateway' | 'tenant'>, reason: string, message: string): Progress {
    this.#dependencies.events.warning(tenant, gateway, 'Failed', message);
    return { kind: 'refused', reason, message };
  }

  async #patchStatus(
    place: Living & { readonly signal: AbortSignal },
    validation: Validated,
    progress: Progress,
  ): Promise<void> {
    const nowMs = this.#dependencies.clock.now();
    await patchGatewayStatus(place, gatewayStatusOf(validation.validated, progress, nowMs));
    for (const outcome of validation.routing.routes) {
      place.signal.throwIfAborted();
      await patchRouteStatus(place, outcome.route, parentsOf(outcome, place.gateway.metadata, nowMs));
    }
  }

  /** Routes that no longer refer to this Gateway. */
  async #leaveRoutes(place: Living & { readonly signal: AbortSignal }): Promise<void> {
    const { metadata } = place.gateway;
    for (const route of place.gateways.routesOf(metadata)) {
      place.signal.throwIfAborted();
      await patchRouteStatus(place, route, parentsWithout(route, metadata));
    }
  }

  async #unwanted(scope: PresentGatewayScope, pass: Pass): Promise<void> {
    const { attempts, certificates, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const removed = (await hasLoadBalancers(cloud))
      ? await removeLoadBalancer(scope, keptOf(scope), this.#dependencies)
      : { isGone: true };
    if (!removed.isGone) return pass.requeueAfter(removed.againInMs);
    await certificates.remove(scope);
    await releaseGateway(scope);
    events.normal(tenant, gateway, 'Deleted', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#end(key);
    attempts.forget(key);
  }

  /** The Gateway no longer exists: either its finalizer was removed and nothing remains, or it was force-deleted, possibly with its kind. */
  async #forgotten(scope: GatewayScope, pass: Pass): Promise<void> {
    const { certificates } = this.#dependencies;
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isLeft = ofOwner(listed, projectID, owner).some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (isLeft || (await certificates.isAnyLeft(scope))) {
      // The cache may be stale: check with the API server.
      if (await isThere(tenant, owner.gatewayUid, pass.signal)) return;
      pass.signal.throwIfAborted();
      const { isGone, againInMs } = await removeLoadBalancer(scope, undefined, this.#dependencies);
      if (!isGone) return pass.requeueAfter(againInMs);
      await certificates.remove(scope);
    }
    this.#end(key);
  }

  #end(key: string): void {
    const { certificates, recovery, loadBalancers, memory, policies, secrets, watch } = this.#dependencies;
    watch.end(key);
    memory.forget(key);
    recovery.forget(key);
    policies.forget(key);
    loadBalancers.forget(key);
    certificates.forget(key);
    secrets.forget(key);
  }

  #warn({ tenant, gateway }: Pick<Living, 'gateway' | 'tenant'>, { reason, message, party }: Failure): void {
    // Still in progress, or the cluster's own API fails and would not accept a status either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    this.#dependencies.events.warning(tenant, gateway, 'Failed', `${reason}: ${message}`);
  }
}

type Known = Omit<PresentGatewayScope, 'gateway' | 'projectID' | 'signal'>;
type Living = Omit<PresentGatewayScope, 'projectID' | 'signal'>;
type Validated = GatewayValidation & Pick<GatewayTask, 'settings'>;

const LOAD_BALANCER = 'load balancer';
/** Certificates no longer in use: deleting them must not delay anything else. */
const CERTIFICATES = 'surplus certificates';
const STATUS = 'status of Gateway';
const NOT_ACCEPTED: Progress = { kind: 'pending', message: 'no listener is accepted' };

async function scopeOf<P extends Known>(place: P, { signal }: Pass) {
  const projectID = await place.cloud.client.session.projectId();
  return { ...place, projectID, signal };
}

function pendingBy(failure: Failure | undefined): Progress {
  const isUnderWay = failure === undefined || failure.reason === 'Provisioning';
  return {
    kind: 'pending',
    message: isUnderWay ? 'the load balancer is being created' : `${failure.reason}: ${failure.message}`,
  };
}

async function isThere({ client }: TenantCluster, uid: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await isAny(boundedPages(client.metadata(Gateways), { signal }), ({ metadata }) => metadata.uid === uid);
  } catch (error) {
    // None exist without their kind.
    if (isApiError(error, 'NotFound')) return false;
    return ofTenant(Promise.reject(error));
  }
}

/** Description of a floating IP that outlives its Gateway. */
function keptOf({ cluster, gateway }: PresentGatewayScope): { readonly as: string } | undefined {
  const { annotations, namespace, name } = gateway.metadata;
  const words = `Floating IP kept of Kubernetes Gateway ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  const ofInfrastructure = 'problem' in gateway.spec ? undefined : gateway.spec.infrastructure?.annotations;
  const { keepFloatingIP } = GATEWAY_ANNOTATION;
  return keptFloatingIPNameFrom(words, annotations?.[keepFloatingIP], ofInfrastructure?.[keepFloatingIP]);
}
