import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { ControllerMetrics } from '@fairway/kube/controller/metrics';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantCluster, TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import { ApprovalReconciler, isDecided } from './certificates/approval-reconciler.ts';
import { NodeReconciler } from './nodes/node-reconciler.ts';

export interface CloudProviderOptions {
  readonly cache: { readonly clusters: Informer<Cluster>; readonly machines: Informer<Machine> };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  readonly owner?: KeyOwner | undefined;
}

const CONCURRENCY = 20;

/**
 * What Kubernetes expects from a cloud, for all tenants' clusters in one process: runnables for the manager that runs
 * Fairway's controllers.
 */
export function createCloudProvider(options: CloudProviderOptions): Runnable[] {
  const { cache, clouds, tenants, clock, random, log, metrics, owner } = options;
  const nodeReconciler = new NodeReconciler({ cache, clouds, tenants, now: () => clock.now() });
  const approvalReconciler = new ApprovalReconciler(options);
  const common = {
    clock,
    random,
    log,
    metrics,
    concurrency: CONCURRENCY,
    backoff: { baseMs: 50, maxMs: 60_000 },
    ...(owner && { owner }),
  };
  const nodes = new Controller({
    ...common,
    name: 'cloud-node',
    ownerKey: (key) => {
      const machine = cache.machines.get(key);
      return machine && clusterKeyOf(machine);
    },
    reconcile: (key) => nodeReconciler.reconcile(key),
  });
  const approvals = new Controller({
    ...common,
    name: 'certificate-approval',
    ownerKey: (key) => tenants.get(key.slice(0, key.indexOf('/')))?.clusterKey,
    reconcile: (key) => approvalReconciler.reconcile(key),
  });
  nodes.watch(cache.machines, (machine) => [keyOf(machine)], {
    isRelevant: (old, machine) =>
      old.status?.serverStatus !== machine.status?.serverStatus || old.status?.serverID !== machine.status?.serverID,
  });
  nodes.watch(
    cache.clusters,
    ({ metadata }) =>
      cache.machines
        .list()
        .filter(
          (machine) => machine.metadata.namespace === metadata.namespace && machine.spec.clusterName === metadata.name,
        )
        .map(keyOf),
    { isRelevant: isPauseChanged },
  );
  approvals.watch(cache.clusters, (cluster) => pendingRequests(tenants.get(identityOf(cluster))), {
    isRelevant: isPauseChanged,
  });
  tenants.onConnect((tenant) => {
    const namespace = tenant.clusterKey.slice(0, tenant.clusterKey.indexOf('/'));
    const enqueueNode = ({ metadata }: { metadata: { name?: string } }) =>
      nodes.enqueue(`${namespace}/${metadata.name}`);
    tenant.nodes.addHandler({ onAdd: enqueueNode, onUpdate: (_, node) => enqueueNode(node) });
    const enqueueRequest = (csr: { metadata: { name?: string } }) =>
      approvals.enqueue(`${tenant.clusterUid}/${csr.metadata.name}`);
    const requests = tenant.informers.informer(CertificateSigningRequests);
    requests.addHandler({
      onAdd: (csr) => !isDecided(csr) && enqueueRequest(csr),
      onUpdate: (_, csr) => !isDecided(csr) && enqueueRequest(csr),
    });
    // Both may be listed before the tenant counts as connected, and are looked at only then.
    void Promise.all([tenant.nodes.whenSynced(), requests.whenSynced()]).then(
      () => {
        tenant.nodes.list().forEach(enqueueNode);
        requests.list().forEach((csr) => !isDecided(csr) && enqueueRequest(csr));
      },
      () => {},
    );
  });
  clouds.onProject((cloud) =>
    cloud.cache.servers.subscribe(({ added, changed }) => {
      const uids = new Set([...added, ...changed].map((server) => serverOwner(server)?.machineUid));
      for (const machine of cache.machines.list()) if (uids.has(identityOf(machine))) nodes.enqueue(keyOf(machine));
    }),
  );
  return [nodes, approvals];
}

function isPauseChanged(old: Cluster, cluster: Cluster): boolean {
  return isPaused(old) !== isPaused(cluster);
}

/** Keys of the requests that nobody has decided on. */
function pendingRequests(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const requests = tenant.informers.informer(CertificateSigningRequests).list();
  return requests.filter((csr) => !isDecided(csr)).map(({ metadata }) => `${tenant.clusterUid}/${metadata.name}`);
}
