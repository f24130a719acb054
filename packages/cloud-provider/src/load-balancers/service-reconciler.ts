import { identityOf } from '@fairway/api/identity';
import { isPaused } from '@fairway/api/pause';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { Services } from '@fairway/kube/kinds/resources';
import { hasLoadBalancers, ofOwner, sharedBy } from '@fairway/tenancy/cloud/balancing';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { ANNOTATION } from './annotation-names.ts';
import { shown } from './annotation-reader.ts';
import type { BalancerKeeper, KeeperDependencies } from './balancer-keeper.ts';
import { keptOf } from './kept-floating-ip.ts';
import { seeBalancers } from './observation.ts';
import { ownerOfKey } from './service-key.ts';
import { ServiceRefused } from './service-refused.ts';
import { removeFromBalancers } from './service-removal.ts';
import type { LivingScope, ServicePlace, ServiceScope } from './service-scope.ts';
import { isServed, OWN_ID_ANNOTATION, tellGone, tellProblem } from './service-writer.ts';
import { seen } from './taking-over.ts';
import { CLEANUP_FINALIZER, servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';
import { upstreamMarks } from './upstream-marks.ts';
import { removeUpstreamSecurityGroup } from './upstream-security-group.ts';

export interface ServiceReconcilerDependencies
  extends KeeperDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'tenants' | 'attempts'> {
  readonly keeper: BalancerKeeper;
}

/** What a Service that asks for a load balancer is told where the cloud has no Octavia. */
const NO_OCTAVIA = {
  reason: 'ConfigurationInvalid',
  message:
    "this cloud has no load balancers: there is no load-balancer service (Octavia) in its catalog; use a Service of type NodePort, or ask the cloud's operator",
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
      this.#end(key);
      return {};
    }
    const services = servicesOf(tenant);
    if (!services.hasSynced) return {};
    const isLeft = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isLeft || isPaused(cluster) || cloud === undefined) return {};
    const [service] = services.find(servicesByUid, owner.serviceUid);
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.make({ kind: 'load balancer', item: key }, async () => {
        const projectID = await cloud.client.session.projectId();
        const scope = { key, owner, tenant, cluster, cloud, projectID, signal: pass.signal };
        if (service === undefined) return this.#forgotten(scope, pass);
        const upstream = upstreamMarks(conventions.upstreamClusterName, service.metadata);
        const living = { ...scope, service, upstream };
        if (wantsLoadBalancer(service)) await this.#wanted(living);
        else if (hasFinalizer(service, CLEANUP_FINALIZER)) await this.#unwanted(living, pass);
        else watch.end(key);
      }),
    );
    if (failure === undefined) pass.againIn(watch.lookInMs(key, clock.now()));
    if (failure && service) await pass.run(() => this.#tell({ service, tenant, signal: pass.signal }, failure));
    return pass.end();
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { tenants, watch } = this.#dependencies;
    for (const key of watch.keys()) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey !== undefined && !isMatching(clusterKey)) continue;
      this.#end(key);
    }
  }

  async #wanted(scope: LivingScope): Promise<void> {
    const { clock, events, keeper } = this.#dependencies;
    const { cloud, service, tenant } = scope;
    try {
      if (!(await hasLoadBalancers(cloud))) {
        events.warning(tenant, service, 'SyncLoadBalancerFailed', NO_OCTAVIA.message);
        await tellProblem(scope, NO_OCTAVIA, clock.now());
        return;
      }
      await keeper.keep(scope);
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      const message = error.message;
      events.warning(tenant, service, 'SyncLoadBalancerFailed', message);
      await tellProblem(scope, { reason: 'ConfigurationInvalid', message }, clock.now());
    }
  }

  async #unwanted(scope: LivingScope, pass: Pass): Promise<void> {
    const { attempts, events, watch } = this.#dependencies;
    const { key, service, tenant } = scope;
    events.ongoing(tenant, service, 'DeletingLoadBalancer', 'Deleting load balancer');
    const hasOctavia = await hasLoadBalancers(scope.cloud);
    // What upstream made goes once it is known to be the Service's.
    if (hasOctavia && (await this.#takesOver(scope))) return;
    const removed = hasOctavia ? await removeFromBalancers(scope, keptOf(scope), this.#dependencies) : { isGone: true };
    if (!removed.isGone) return pass.againIn(removed.againInMs);
    await removeUpstreamSecurityGroup(scope);
    await this.#tellLeft(scope);
    await tellGone(scope);
    events.normal(tenant, service, 'DeletedLoadBalancer', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#end(key);
    attempts.forget(key);
  }

  /** Whether the Service's load balancer is upstream's and being taken over. What can't be is left, and told at the end. */
  async #takesOver(scope: LivingScope): Promise<boolean> {
    if (scope.upstream === undefined) return false;
    const { present, going } = await seeBalancers(scope);
    if (present.length + going > 0) return false;
    try {
      return await this.#dependencies.takingOver.step(scope);
    } catch (error) {
      if (error instanceof ServiceRefused) return false;
      if (error instanceof ProblemError && error.problem.reason !== 'Provisioning') return false;
      throw error;
    }
  }

  /** One that the Service names and that is not its own is not deleted either. */
  async #tellLeft(scope: LivingScope): Promise<void> {
    const { cloud, service, tenant, upstream } = scope;
    const { [ANNOTATION.loadBalancerID]: named, [OWN_ID_ANNOTATION]: own } = service.metadata.annotations ?? {};
    if (!named || named === own || isServed(service)) return;
    // Of the project's load balancers it has those with Fairway's mark.
    if (cloud.cache.loadBalancers.snapshot().items.has(named)) return;
    // One that was taken over to be deleted is gone, though nothing was noted of it.
    if (upstream && (await seen(scope, named)) === undefined) return;
    const message = `load balancer ${shown(named)} is not of Fairway's making and stays, with its floating IP; delete them with \`openstack loadbalancer delete --cascade\` and \`openstack floating ip delete\``;
    this.#dependencies.events.warning(tenant, service, 'LoadBalancerLeft', message);
  }

  /** The Service is gone: by its finalizer's removal, and nothing is left; or by somebody's force. */
  async #forgotten(scope: ServiceScope, pass: Pass): Promise<void> {
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isLeft = [...ofOwner(listed, projectID, owner), ...sharedBy(listed, projectID, owner)].some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (isLeft) {
      // The cache may be a moment behind: only what the API server holds counts here.
      const { items } = await ofTenant(tenant.client.metadata(Services).list({ signal: pass.signal }));
      if (items.some(({ metadata }) => metadata.uid === owner.serviceUid)) return;
      pass.signal.throwIfAborted();
      const { isGone, againInMs } = await removeFromBalancers(scope, undefined, this.#dependencies);
      if (!isGone) return pass.againIn(againInMs);
    }
    this.#end(key);
  }

  #end(key: string): void {
    const { cure, memory, watch } = this.#dependencies;
    watch.end(key);
    memory.forget(key);
    cure.forget(key);
  }

  async #tell(place: ServicePlace, { reason, message, party }: Failure): Promise<void> {
    const { clock, events } = this.#dependencies;
    // Still under way; or the cluster's own API fails, which would not take this either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    events.warning(place.tenant, place.service, 'SyncLoadBalancerFailed', `${reason}: ${message}`);
    await tellProblem(place, { reason, message }, clock.now());
  }
}
