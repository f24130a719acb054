import { identityOf } from '@fairway/api/identity';
import { enforcementChangeDelayMs } from '@fairway/api/limits/in-cluster';
import { isPaused } from '@fairway/api/pause';
import { boundedPages, someMatch } from '@fairway/kube/client/bounded-pages';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { hasLoadBalancers, objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { keptFloatingIPNameFrom } from '../load-balancers/kept-floating-ip.ts';
import { withAllowedProvider } from '../load-balancers/load-balancer-limits.ts';
import { removeLoadBalancer } from '../load-balancers/load-balancer-removal.ts';
import {
  PLAN_LIMIT_REASON,
  PLAN_LIMIT_RETRY_MS,
  PlanLimitExceeded,
  ServiceRefused,
  UNKNOWN_PLAN_RETRY_MS,
} from '../load-balancers/service-refused.ts';
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
import { parentsOf, parentsWithoutGateway } from './route-status.ts';
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
    const { cache, clock, clouds, conventions, secrets, tenants } = this.#dependencies;
    const owner = ownerOfKey(key);
    const tenant = tenants.get(owner.clusterUid);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) {
      this.#forget(key);
      return {};
    }
    const gateways = TenantGateways.of(tenant, this.#dependencies);
    if (!gateways.isReady || !servicesOf(tenant).hasSynced) return {};
    const isLeft = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isLeft || isPaused(cluster) || cloud === undefined) return {};
    const target = { key, owner, tenant, cluster, cloud, gateways };
    const gateway = gateways.byUid(owner.gatewayUid);
    if (gateway === undefined) return this.#finish(target, context);
    if (isBeingDeleted(gateway) || !gateways.isServed(gateway)) return this.#finish({ ...target, gateway }, context);
    const limits = conventions.limitsOf(cluster, cache.plans);
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const configured = conventions.loadBalancersOf(cluster, cloud);
    if (configured === undefined || !gateways.hasNamespacesFor(gateway)) return {};
    const settings = withAllowedProvider(configured, limits, clock.now());
    const relatedObjects = gateways.relatedObjects(gateway);
    const certificateOf = readSecrets(secretsOfGateway(gateway, relatedObjects), (names) =>
      secrets.read(tenant, key, names),
    );
    // The Gateway is enqueued again once the Secrets have been read.
    if (certificateOf === undefined) return {};
    const validation = validateGateway(gateway, settings, { ...relatedObjects, certificateOf });
    return this.#serve({ ...target, gateway }, { settings, limits, ...validation }, context);
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { secrets, tenants, watch } = this.#dependencies;
    for (const key of new Set([...watch.keys(), ...secrets.users()])) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey === undefined || isMatching(clusterKey)) this.#forget(key);
    }
  }

  async #serve(target: LiveTarget, validation: ValidatedTask, context: ReconcileContext): Promise<Result> {
    const { attempts, certificates, clock, watch } = this.#dependencies;
    const { cloud, key } = target;
    const pass = new Pass(context, clock);
    const { value, failure } = await pass.run(() =>
      attempts.withBackoff({ kind: LOAD_BALANCER, item: key }, async () =>
        this.#reconcileServed(await scopeOf(target, pass), validation),
      ),
    );
    if (failure !== undefined) this.#warn(target, failure);
    await pass.run(() =>
      attempts.withBackoff({ kind: SURPLUS_CERTIFICATES, item: key }, async () => {
        // The Gateway is requeued shortly.
        if (await certificates.cleanUp(await scopeOf(target, pass))) watch.expect(cloud, key, 'update');
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    const progress = value ?? pendingProgress(failure);
    pass.requeueAfter(enforcementChangeDelayMs(validation.limits, clock.now()));
    if (progress.kind === 'refused' && progress.reason === PLAN_LIMIT_REASON) pass.requeueAfter(PLAN_LIMIT_RETRY_MS);
    await pass.run(() =>
      attempts.withBackoff({ kind: GATEWAY_STATUS, item: key }, () =>
        this.#patchStatus({ ...target, signal: pass.signal }, validation, progress),
      ),
    );
    return pass.end();
  }

  async #finish(target: GatewayTarget & Partial<LiveTarget>, context: ReconcileContext): Promise<Result> {
    const { attempts, clock, watch } = this.#dependencies;
    const { gateway, key } = target;
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: LOAD_BALANCER, item: key }, async () => {
        if (gateway === undefined) return this.#reconcileDeleted(await scopeOf(target, pass), pass);
        const liveScope = { ...target, gateway, signal: pass.signal };
        await this.#clearRouteStatus(liveScope);
        if (!hasFinalizer(gateway, CLEANUP_FINALIZER)) return this.#forget(key);
        return this.#reconcileUnserved({ ...liveScope, ...(await scopeOf(target, pass)) }, pass);
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    else if (gateway) this.#warn({ ...target, gateway }, failure);
    return pass.end();
  }

  async #reconcileServed(
    scope: PresentGatewayScope,
    { validated, warnings, ...task }: ValidatedTask,
  ): Promise<Progress> {
    const { events, loadBalancers } = this.#dependencies;
    const { cloud, gateway, tenant } = scope;
    for (const { reason, message } of warnings) events.warning(tenant, gateway, reason, message, message);
    if (!(await hasLoadBalancers(cloud))) return this.#refuse(scope, 'NoResources', NO_OCTAVIA);
    // An existing load balancer loses listeners that are no longer accepted, but is left unchanged if the Gateway
    // cannot be parsed.
    const isLeft = validated.refused !== undefined;
    const isNew = !hasFinalizer(gateway, CLEANUP_FINALIZER);
    if (isLeft || (isNew && !validated.listeners.some(isAccepted))) return NOT_ACCEPTED_PROGRESS;
    try {
      return await loadBalancers.ensureLoadBalancer(scope, { ...task, listeners: validated.listeners });
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      if (error instanceof PlanLimitExceeded) return this.#refuse(scope, PLAN_LIMIT_REASON, error.message);
      return this.#refuse(scope, 'AddressNotUsable', error.message);
    }
  }

  #refuse({ gateway, tenant }: Pick<LiveTarget, 'gateway' | 'tenant'>, reason: string, message: string): Progress {
    const eventReason = reason === PLAN_LIMIT_REASON ? reason : 'Failed';
    this.#dependencies.events.warning(tenant, gateway, eventReason, message);
    return { kind: 'refused', reason, message };
  }

  async #patchStatus(
    target: LiveTarget & { readonly signal: AbortSignal },
    validation: ValidatedTask,
    progress: Progress,
  ): Promise<void> {
    const nowMs = this.#dependencies.clock.now();
    await patchGatewayStatus(target, gatewayStatusOf(validation.validated, progress, nowMs));
    for (const outcome of validation.routing.routes) {
      target.signal.throwIfAborted();
      await patchRouteStatus(target, outcome.route, parentsOf(outcome, target.gateway.metadata, nowMs));
    }
  }

  /** Clears the status of routes that no longer refer to this Gateway. */
  async #clearRouteStatus(target: LiveTarget & { readonly signal: AbortSignal }): Promise<void> {
    const { metadata } = target.gateway;
    for (const route of target.gateways.routesOf(metadata)) {
      target.signal.throwIfAborted();
      await patchRouteStatus(target, route, parentsWithoutGateway(route, metadata));
    }
  }

  async #reconcileUnserved(scope: PresentGatewayScope, pass: Pass): Promise<void> {
    const { attempts, certificates, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const removed = (await hasLoadBalancers(cloud))
      ? await removeLoadBalancer(scope, keptIPDescription(scope), this.#dependencies)
      : { isDeleted: true };
    if (!removed.isDeleted) return pass.requeueAfter(removed.requeueAfterMs);
    await certificates.remove(scope);
    await releaseGateway(scope);
    events.normal(tenant, gateway, 'Deleted', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#forget(key);
    attempts.forget(key);
  }

  /** The Gateway no longer exists: either its finalizer was removed and nothing remains, or it was force-deleted, possibly with its kind. */
  async #reconcileDeleted(scope: GatewayScope, pass: Pass): Promise<void> {
    const { certificates } = this.#dependencies;
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isLeft = objectsOfOwner(listed, projectID, owner).some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (isLeft || (await certificates.hasAnyLeft(scope))) {
      // The cache may be stale: check with the API server.
      if (await gatewayExists(tenant, owner.gatewayUid, pass.signal)) return;
      pass.signal.throwIfAborted();
      const { isDeleted, requeueAfterMs } = await removeLoadBalancer(scope, undefined, this.#dependencies);
      if (!isDeleted) return pass.requeueAfter(requeueAfterMs);
      await certificates.remove(scope);
    }
    this.#forget(key);
  }

  #forget(key: string): void {
    const { certificates, recovery, loadBalancers, memory, policies, secrets, watch } = this.#dependencies;
    watch.stopExpecting(key);
    memory.forget(key);
    recovery.forget(key);
    policies.forget(key);
    loadBalancers.forget(key);
    certificates.forget(key);
    secrets.forget(key);
  }

  #warn({ tenant, gateway }: Pick<LiveTarget, 'gateway' | 'tenant'>, { reason, message, party }: Failure): void {
    // Still in progress, or the cluster's own API fails and would not accept a status either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    this.#dependencies.events.warning(tenant, gateway, 'Failed', `${reason}: ${message}`);
  }
}

type GatewayTarget = Omit<PresentGatewayScope, 'gateway' | 'projectID' | 'signal'>;
type LiveTarget = Omit<PresentGatewayScope, 'projectID' | 'signal'>;
type ValidatedTask = GatewayValidation & Pick<GatewayTask, 'settings' | 'limits'>;

const LOAD_BALANCER = 'load balancer';
/** Deletes certificates that are no longer in use, without delaying anything else. */
const SURPLUS_CERTIFICATES = 'surplus certificates';
const GATEWAY_STATUS = 'status of Gateway';
const NOT_ACCEPTED_PROGRESS: Progress = { kind: 'pending', message: 'no listener is accepted' };

async function scopeOf<P extends GatewayTarget>(target: P, { signal }: Pass) {
  const projectID = await target.cloud.client.session.projectId();
  return { ...target, projectID, signal };
}

function pendingProgress(failure: Failure | undefined): Progress {
  const isInProgress = failure === undefined || failure.reason === 'Provisioning';
  return {
    kind: 'pending',
    message: isInProgress ? 'the load balancer is being created' : `${failure.reason}: ${failure.message}`,
  };
}

async function gatewayExists({ client }: TenantCluster, uid: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await someMatch(boundedPages(client.metadata(Gateways), { signal }), ({ metadata }) => metadata.uid === uid);
  } catch (error) {
    // If the kind is not installed, no Gateways exist.
    if (isApiError(error, 'NotFound')) return false;
    return wrapTenantError(Promise.reject(error));
  }
}

/** Description of a floating IP that outlives its Gateway. */
function keptIPDescription({ cluster, gateway }: PresentGatewayScope): { readonly as: string } | undefined {
  const { annotations, namespace, name } = gateway.metadata;
  const description = `Floating IP kept of Kubernetes Gateway ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  const infrastructureAnnotations = 'problem' in gateway.spec ? undefined : gateway.spec.infrastructure?.annotations;
  const { keepFloatingIP } = GATEWAY_ANNOTATION;
  return keptFloatingIPNameFrom(
    description,
    annotations?.[keepFloatingIP],
    infrastructureAnnotations?.[keepFloatingIP],
  );
}
