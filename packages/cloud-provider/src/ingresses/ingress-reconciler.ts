import { identityOf } from '@fairway/api/identity';
import { enforcementChangeDelayMs, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { isPaused } from '@fairway/api/pause';
import { boundedPages, someMatch } from '@fairway/kube/client/bounded-pages';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { hasLoadBalancers, objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { keptFloatingIPNameFrom } from '../load-balancers/kept-floating-ip.ts';
import { removeLoadBalancer } from '../load-balancers/load-balancer-removal.ts';
import {
  PLAN_LIMIT_REASON,
  PLAN_LIMIT_RETRY_MS,
  PlanLimitExceeded,
  ServiceRefused,
  UNKNOWN_PLAN_RETRY_MS,
} from '../load-balancers/service-refused.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { INGRESS_ANNOTATION } from './annotation-names.ts';
import { ownerOfKey } from './ingress-key.ts';
import type {
  IngressLoadBalancerReconciler,
  IngressLoadBalancerReconcilerDependencies,
} from './ingress-load-balancer.ts';
import type { IngressScope, IngressWriteScope, PresentIngressScope } from './ingress-scope.ts';
import { releaseIngress } from './ingress-writer.ts';
import {
  CLEANUP_FINALIZER,
  effectiveClass,
  ingressClassesOf,
  ingressesByUid,
  ingressesOf,
  isServed,
} from './tenant-ingresses.ts';

export interface IngressReconcilerDependencies
  extends IngressLoadBalancerReconcilerDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'tenants' | 'attempts'> {
  readonly loadBalancers: IngressLoadBalancerReconciler;
}

const NO_OCTAVIA =
  'this cloud has no load balancers: its catalog has no load-balancer service (Octavia); run an ingress controller in the cluster, or ask the cloud operator';

/** Load balancers for Ingresses, in all tenants' clusters. */
export class IngressReconciler {
  readonly #dependencies: IngressReconcilerDependencies;

  constructor(dependencies: IngressReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key`: see `ingressKey`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, certificates, clock, clouds, conventions, tenants, watch } = this.#dependencies;
    const owner = ownerOfKey(key);
    const tenant = tenants.get(owner.clusterUid);
    const ingresses = tenant && ingressesOf(tenant);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) {
      this.#forget(key);
      return {};
    }
    if (!ingresses?.hasSynced || !servicesOf(tenant).hasSynced) return {};
    const isSkipped = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isSkipped || isPaused(cluster) || cloud === undefined) return {};
    const [ingress] = ingresses.find(ingressesByUid, owner.ingressUid);
    const servedAs = ingress && servedState(tenant, ingress);
    // The class of the Ingress is not known yet.
    if (servedAs === 'unknown') return {};
    const limits = conventions.limitsOf(cluster, cache.plans);
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const pass = new Pass(context, clock);
    const scopeOf = async () => {
      const projectID = await cloud.client.session.projectId();
      return { key, owner, tenant, cluster, cloud, projectID, signal: pass.signal };
    };
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'load balancer', item: key }, async () => {
        const scope = await scopeOf();
        if (ingress === undefined) await this.#reconcileDeleted(scope, pass);
        else if (servedAs === 'yes') await this.#reconcileServed({ ...scope, ingress }, limits, pass);
        else if (hasFinalizer(ingress, CLEANUP_FINALIZER)) await this.#reconcileUnserved({ ...scope, ingress }, pass);
        else this.#forget(key);
      }),
    );
    // Deleting unused certificates must not delay anything else.
    await pass.run(() =>
      attempts.withBackoff({ kind: 'surplus certificates', item: key }, async () => {
        // The Ingress is requeued shortly.
        if (await certificates.cleanUp(await scopeOf())) watch.expect(cloud, key, 'update');
      }),
    );
    if (failure === undefined) pass.requeueAfter(watch.nextPollMs(key, clock.now()));
    if (failure && ingress) this.#recordFailure({ ingress, tenant, signal: pass.signal }, failure);
    return pass.end();
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { tenants, watch } = this.#dependencies;
    for (const key of watch.keys()) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey === undefined || isMatching(clusterKey)) this.#forget(key);
    }
  }

  async #reconcileServed(scope: PresentIngressScope, limits: InClusterLimits, pass: Pass): Promise<void> {
    const { clock, events, loadBalancers } = this.#dependencies;
    const { cloud, ingress, tenant } = scope;
    pass.requeueAfter(enforcementChangeDelayMs(limits, clock.now()));
    try {
      if (!(await hasLoadBalancers(cloud))) return events.warning(tenant, ingress, 'Failed', NO_OCTAVIA);
      await loadBalancers.ensureLoadBalancer(scope, limits);
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      const isLimit = error instanceof PlanLimitExceeded;
      if (isLimit) pass.requeueAfter(PLAN_LIMIT_RETRY_MS);
      events.warning(tenant, ingress, isLimit ? PLAN_LIMIT_REASON : 'Failed', error.message);
    }
  }

  async #reconcileUnserved(scope: PresentIngressScope, pass: Pass): Promise<void> {
    const { attempts, certificates, events, watch } = this.#dependencies;
    const { cloud, ingress, key, tenant } = scope;
    const removed = (await hasLoadBalancers(cloud))
      ? await removeLoadBalancer(scope, keptIPDescription(scope), this.#dependencies)
      : { isDeleted: true };
    if (!removed.isDeleted) return pass.requeueAfter(removed.requeueAfterMs);
    await certificates.remove(scope);
    await releaseIngress(scope);
    events.normal(tenant, ingress, 'Deleted', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#forget(key);
    attempts.forget(key);
  }

  /** The Ingress no longer exists: either its finalizer was removed and nothing remains, or it was force-deleted. */
  async #reconcileDeleted(scope: IngressScope, pass: Pass): Promise<void> {
    const { certificates } = this.#dependencies;
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const hasAnyLeft = objectsOfOwner(listed, projectID, owner).some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (hasAnyLeft || (await certificates.hasAnyLeft(scope))) {
      // The cache may be stale: check with the API server.
      const all = boundedPages(tenant.client.metadata(Ingresses), { signal: pass.signal });
      if (await wrapTenantError(someMatch(all, ({ metadata }) => metadata.uid === owner.ingressUid))) return;
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

  #recordFailure({ tenant, ingress }: IngressWriteScope, { reason, message, party }: Failure): void {
    // Still in progress, or the cluster's own API fails and would not accept a status either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    this.#dependencies.events.warning(tenant, ingress, 'Failed', `${reason}: ${message}`);
  }
}

function servedState(tenant: TenantCluster, ingress: Ingress): 'yes' | 'no' | 'unknown' {
  if (isBeingDeleted(ingress)) return 'no';
  const name = effectiveClass(ingress);
  if (name === undefined) return isServed(ingress, undefined) ? 'yes' : 'no';
  const classes = ingressClassesOf(tenant);
  if (!classes.hasSynced) return 'unknown';
  return isServed(ingress, classes.get(name)) ? 'yes' : 'no';
}

/** Description of a floating IP that outlives its Ingress. */
function keptIPDescription({ cluster, ingress }: PresentIngressScope): { readonly as: string } | undefined {
  const { annotations, namespace, name } = ingress.metadata;
  const description = `Floating IP kept of Kubernetes Ingress ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  return keptFloatingIPNameFrom(description, annotations?.[INGRESS_ANNOTATION.keepFloatingIP]);
}
