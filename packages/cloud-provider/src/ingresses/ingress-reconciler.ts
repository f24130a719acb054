import { identityOf } from '@fairway/api/identity';
import { isPaused } from '@fairway/api/pause';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { hasLoadBalancers, ofOwner } from '@fairway/tenancy/cloud/balancing';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { removeBalancer } from '../load-balancers/balancer-removal.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { INGRESS_ANNOTATION } from './annotation-names.ts';
import type { IngressKeeper, IngressKeeperDependencies } from './ingress-keeper.ts';
import { ownerOfKey } from './ingress-key.ts';
import type { IngressPlace, IngressScope, LivingIngress } from './ingress-scope.ts';
import { tellGone } from './ingress-writer.ts';
import {
  CLEANUP_FINALIZER,
  decidingClass,
  ingressClassesOf,
  ingressesByUid,
  ingressesOf,
  isServed,
} from './tenant-ingresses.ts';

export interface IngressReconcilerDependencies
  extends IngressKeeperDependencies,
    Pick<CloudProviderDependencies, 'clouds' | 'tenants' | 'attempts'> {
  readonly keeper: IngressKeeper;
}

const NO_OCTAVIA =
  "this cloud has no load balancers: there is no load-balancer service (Octavia) in its catalog; run an ingress controller in the cluster, or ask the cloud's operator";

/** Load balancers for Ingresses, in all tenants' clusters. */
export class IngressReconciler {
  readonly #dependencies: IngressReconcilerDependencies;

  constructor(dependencies: IngressReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key`: see `ingressKey`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, certificates, clock, clouds, tenants, watch } = this.#dependencies;
    const owner = ownerOfKey(key);
    const tenant = tenants.get(owner.clusterUid);
    const ingresses = tenant && ingressesOf(tenant);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) {
      this.#end(key);
      return {};
    }
    if (!ingresses?.hasSynced || !servicesOf(tenant).hasSynced) return {};
    const isLeft = identityOf(cluster) !== owner.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (isLeft || isPaused(cluster) || cloud === undefined) return {};
    const [ingress] = ingresses.find(ingressesByUid, owner.ingressUid);
    const wanted = ingress && isWanted(tenant, ingress);
    // Its class is not known yet.
    if (wanted === 'unknown') return {};
    const pass = new Pass(context, clock);
    const scopeOf = async () => {
      const projectID = await cloud.client.session.projectId();
      return { key, owner, tenant, cluster, cloud, projectID, signal: pass.signal };
    };
    const { failure } = await pass.run(() =>
      attempts.make({ kind: 'load balancer', item: key }, async () => {
        const scope = await scopeOf();
        if (ingress === undefined) await this.#forgotten(scope, pass);
        else if (wanted === 'yes') await this.#wanted({ ...scope, ingress });
        else if (hasFinalizer(ingress, CLEANUP_FINALIZER)) await this.#unwanted({ ...scope, ingress }, pass);
        else this.#end(key);
      }),
    );
    // What works does not wait for the end of certificates that nothing serves any more.
    await pass.run(() =>
      attempts.make({ kind: 'surplus certificates', item: key }, async () => {
        // It looks again in a moment.
        if (await certificates.tidy(await scopeOf())) watch.expect(cloud, key, 'update');
      }),
    );
    if (failure === undefined) pass.againIn(watch.lookInMs(key, clock.now()));
    if (failure && ingress) this.#tell({ ingress, tenant, signal: pass.signal }, failure);
    return pass.end();
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { tenants, watch } = this.#dependencies;
    for (const key of watch.keys()) {
      const clusterKey = tenants.get(ownerOfKey(key).clusterUid)?.clusterKey;
      if (clusterKey === undefined || isMatching(clusterKey)) this.#end(key);
    }
  }

  async #wanted(scope: LivingIngress): Promise<void> {
    const { events, keeper } = this.#dependencies;
    const { cloud, ingress, tenant } = scope;
    try {
      if (!(await hasLoadBalancers(cloud))) return events.warning(tenant, ingress, 'Failed', NO_OCTAVIA);
      await keeper.keep(scope);
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      events.warning(tenant, ingress, 'Failed', error.message);
    }
  }

  async #unwanted(scope: LivingIngress, pass: Pass): Promise<void> {
    const { attempts, certificates, events, watch } = this.#dependencies;
    const { cloud, ingress, key, tenant } = scope;
    const removed = (await hasLoadBalancers(cloud))
      ? await removeBalancer(scope, keptOf(scope), this.#dependencies)
      : { isGone: true };
    if (!removed.isGone) return pass.againIn(removed.againInMs);
    await certificates.remove(scope);
    await tellGone(scope);
    events.normal(tenant, ingress, 'Deleted', 'Deleted load balancer');
    watch.settle(key, 'deletion');
    this.#end(key);
    attempts.forget(key);
  }

  /** The Ingress is gone: by its finalizer's removal, and nothing is left; or by somebody's force. */
  async #forgotten(scope: IngressScope, pass: Pass): Promise<void> {
    const { certificates } = this.#dependencies;
    const { cloud, key, owner, projectID, tenant } = scope;
    const listed = cloud.cache.loadBalancers.snapshot();
    const { loadBalancers } = cloud.ledgers;
    const isAnyLeft = ofOwner(listed, projectID, owner).some(
      ({ id }) => !loadBalancers.isDeleting(id, listed.listedAtMs ?? 0),
    );
    if (isAnyLeft || (await certificates.isAnyLeft(scope))) {
      // The cache may be a moment behind: only what the API server holds counts here.
      const { items } = await ofTenant(tenant.client.metadata(Ingresses).list({ signal: pass.signal }));
      if (items.some(({ metadata }) => metadata.uid === owner.ingressUid)) return;
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

  #tell({ tenant, ingress }: IngressPlace, { reason, message, party }: Failure): void {
    // Still under way; or the cluster's own API fails, which would not take this either.
    if (reason === 'Provisioning' || party === 'tenantApi') return;
    this.#dependencies.events.warning(tenant, ingress, 'Failed', `${reason}: ${message}`);
  }
}

function isWanted(tenant: TenantCluster, ingress: Ingress): 'yes' | 'no' | 'unknown' {
  if (isBeingDeleted(ingress)) return 'no';
  const name = decidingClass(ingress);
  if (name === undefined) return isServed(ingress, undefined) ? 'yes' : 'no';
  const classes = ingressClassesOf(tenant);
  if (!classes.hasSynced) return 'unknown';
  return isServed(ingress, classes.get(name)) ? 'yes' : 'no';
}

/** Neutron's limit of a description. */
const MAX_DESCRIPTION = 255;

/** What the floating IP of an Ingress that keeps it is called from then on. */
function keptOf({ cluster, ingress }: LivingIngress): { readonly as: string } | undefined {
  const { annotations, namespace, name } = ingress.metadata;
  if (annotations?.[INGRESS_ANNOTATION.keepFloatingIP] !== 'true') return undefined;
  const words = `Floating IP kept of Kubernetes Ingress ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  return { as: words.slice(0, MAX_DESCRIPTION) };
}
