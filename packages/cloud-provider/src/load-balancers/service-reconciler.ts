import { identityOf } from '@fairway/api/identity';
import { enforcementChangeDelayMs, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { OWN_ID_ANNOTATION } from '@fairway/api/limits/service-limits';
import { isPaused } from '@fairway/api/pause';
import { boundedPages, someMatch } from '@fairway/kube/client/bounded-pages';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { Services } from '@fairway/kube/kinds/resources';
import { hasLoadBalancers, loadBalancersSharedBy, objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { ANNOTATION } from './annotation-names.ts';
import { displayText } from './display-text.ts';
import { keptFloatingIPName } from './kept-floating-ip.ts';
import type { LoadBalancerReconciler, LoadBalancerReconcilerDependencies } from './load-balancer-reconciler.ts';
import { observeLoadBalancers } from './observation.ts';
import { ownerOfKey } from './service-key.ts';
import {
  PLAN_LIMIT_REASON,
  PLAN_LIMIT_RETRY_MS,
  PlanLimitExceeded,
  ServiceRefused,
  UNKNOWN_PLAN_RETRY_MS,
} from './service-refused.ts';
import { removeFromLoadBalancers } from './service-removal.ts';
import type { PresentServiceScope, ServiceScope, ServiceWriteScope } from './service-scope.ts';
import { isServed, patchProblemStatus, releaseService } from './service-writer.ts';
import { findLoadBalancer } from './takeover.ts';
import { CLEANUP_FINALIZER, servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';
import { upstreamMarks } from './upstream-marks.ts';
import { removeUpstreamSecurityGroup } from './upstream-security-group.ts';

export interface ServiceReconcilerDependencies
  extends LoadBalancerReconcilerDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'tenants' | 'attempts'> {
  readonly loadBalancers: LoadBalancerReconciler;
}

/** The message for a Service if the cloud has no Octavia. */
const NO_OCTAVIA = {
  reason: 'ConfigurationInvalid',
  message:
    'this cloud has no load balancers: its catalog has no load-balancer service (Octavia); use a Service of type NodePort, or ask the cloud operator',
};

/** Load balancers for Services of type LoadBalancer, in all tenants' clusters. */
export class ServiceReconciler {
  readonly #dependencies: ServiceReconcilerDependencies;

  constructor(dependencies: ServiceReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key`: see `serviceKey`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, conventions, tenants, watch } = this.#dependencies;
    const owner = ownerOfKey(key);
    const tenant = tenants.get(owner.clusterUid);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) {
      this.#forget(key);
      return {};
    }
    const services = servicesOf(tenant);
    if (!services.hasSynced) return {};
    const isLeft = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isLeft || isPaused(cluster) || cloud === undefined) return {};
    const [service] = services.find(servicesByUid, owner.serviceUid);
    const limits = conventions.limitsOf(cluster, cache.plans);
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'load balancer', item: key }, async () => {
        const projectID = await cloud.client.session.projectId();
        const scope = { key, owner, tenant, cluster, cloud, projectID, signal: pass.signal };
        if (service === undefined) return this.#reconcileDeleted(scope, pass);
        const upstream = upstreamMarks(conventions.upstreamClusterName, service.metadata);
        const liveScope = { ...scope, service, upstream };
        if (wantsLoadBalancer(service)) await this.#reconcileServed(liveScope, limits, pass);
        else if (hasFinalizer(service, CLEANUP_FINALIZER)) await this.#reconcileUnserved(liveScope, pass);
        else watch.stopExpecting(key);
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    if (failure && service)
      await pass.run(() => this.#reportFailure({ service, tenant, signal: pass.signal }, failure));
    return pass.end();
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { tenants, watch } = this.#dependencies;
    for (const key of watch.keys()) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey !== undefined && !isMatching(clusterKey)) continue;
      this.#forget(key);
    }
  }

  async #reconcileServed(scope: PresentServiceScope, limits: InClusterLimits, pass: Pass): Promise<void> {
    const { clock, events, loadBalancers } = this.#dependencies;
    const { cloud, service, tenant } = scope;
    pass.requeueAfter(enforcementChangeDelayMs(limits, clock.now()));
    try {
      if (!(await hasLoadBalancers(cloud))) {
        events.warning(tenant, service, 'SyncLoadBalancerFailed', NO_OCTAVIA.message);
        await patchProblemStatus(scope, NO_OCTAVIA, clock.now());
        return;
      }
      await loadBalancers.ensureLoadBalancer(scope, limits);
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      const { message } = error;
      const isLimit = error instanceof PlanLimitExceeded;
      if (isLimit) pass.requeueAfter(PLAN_LIMIT_RETRY_MS);
      events.warning(tenant, service, isLimit ? PLAN_LIMIT_REASON : 'SyncLoadBalancerFailed', message);
      const reason = isLimit ? PLAN_LIMIT_REASON : 'ConfigurationInvalid';
      await patchProblemStatus(scope, { reason, message }, clock.now());
    }
  }

  async #reconcileUnserved(scope: PresentServiceScope, pass: Pass): Promise<void> {
    const { attempts, events, watch } = this.#dependencies;
    const { key, service, tenant } = scope;
    events.setOngoing(tenant, service, 'DeletingLoadBalancer', 'Deleting load balancer');
    const hasOctavia = await hasLoadBalancers(scope.cloud);
    // An upstream load balancer is deleted once it is proven to belong to the Service.
    if (hasOctavia && (await this.#takeOver(scope))) return;
    const removed = hasOctavia
      ? await removeFromLoadBalancers(scope, keptFloatingIPName(scope), this.#dependencies)
      : { isDeleted: true };
    if (!removed.isDeleted) return pass.requeueAfter(removed.requeueAfterMs);
    await removeUpstreamSecurityGroup(scope);
    await this.#recordAbandoned(scope);
    await releaseService(scope);
    events.normal(tenant, service, 'DeletedLoadBalancer', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#forget(key);
    attempts.forget(key);
  }

  /**
   * Whether an upstream load balancer of the Service is being taken over. A load balancer that cannot be taken over is
   * left in place, and reported when the Service is released.
   */
  async #takeOver(scope: PresentServiceScope): Promise<boolean> {
    if (scope.upstream === undefined) return false;
    const { present, deletingCount } = await observeLoadBalancers(scope);
    if (present.length + deletingCount > 0) return false;
    try {
      return await this.#dependencies.takeover.step(scope);
    } catch (error) {
      if (error instanceof ServiceRefused) return false;
      if (error instanceof ProblemError && error.problem.reason !== 'Provisioning') return false;
      throw error;
    }
  }

  /** Reports a load balancer that is not deleted because the Service refers to it but does not own it. */
  async #recordAbandoned(scope: PresentServiceScope): Promise<void> {
    const { cloud, service, tenant, upstream } = scope;
    const { [ANNOTATION.loadBalancerID]: named, [OWN_ID_ANNOTATION]: own } = service.metadata.annotations ?? {};
    if (!named || named === own || isServed(service)) return;
    // The list contains only load balancers with Fairway's mark.
    if (cloud.cache.loadBalancers.snapshot().items.has(named)) return;
    // A load balancer that was taken over only to be deleted no longer exists, and its deletion was not recorded.
    if (upstream && (await findLoadBalancer(scope, named)) === undefined) return;
    const message = `load balancer ${displayText(named)} was not created by Fairway and is not deleted, nor is its floating IP; delete them with \`openstack loadbalancer delete --cascade\` and \`openstack floating ip delete\``;
    this.#dependencies.events.warning(tenant, service, 'LoadBalancerLeft', message);
  }

  /** The Service no longer exists: either its finalizer was removed and nothing remains, or it was force-deleted. */
  async #reconcileDeleted(scope: ServiceScope, pass: Pass): Promise<void> {
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isLeft = [
      ...objectsOfOwner(listed, projectID, owner),
      ...loadBalancersSharedBy(listed, projectID, owner),
    ].some(({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0));
    if (isLeft) {
      // The cache may be stale: check with the API server.
      const all = boundedPages(tenant.client.metadata(Services), { signal: pass.signal });
      if (await wrapTenantError(someMatch(all, ({ metadata }) => metadata.uid === owner.serviceUid))) return;
      pass.signal.throwIfAborted();
      const { isDeleted, requeueAfterMs } = await removeFromLoadBalancers(scope, undefined, this.#dependencies);
      if (!isDeleted) return pass.requeueAfter(requeueAfterMs);
    }
    this.#forget(key);
  }

  #forget(key: string): void {
    const { loadBalancers, recovery, memory, watch } = this.#dependencies;
    loadBalancers.forget(key);
    watch.stopExpecting(key);
    memory.forget(key);
    recovery.forget(key);
  }

  async #reportFailure(place: ServiceWriteScope, { reason, message, party }: Failure): Promise<void> {
    const { clock, events } = this.#dependencies;
    // Still in progress, or the cluster's own API fails and would not accept a status either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    events.warning(place.tenant, place.service, 'SyncLoadBalancerFailed', `${reason}: ${message}`);
    await patchProblemStatus(place, { reason, message }, clock.now());
  }
}
