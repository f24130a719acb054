import { identityOf } from '@fairway/api/identity';
import type { CloudResourcesStatus, UnknownResources } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Identifiable, Snapshot } from '@fairway/openstack/cache/snapshot';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { describeError } from '@fairway/tenancy/cloud/describe-error';
import { loadBalancersOfCluster, loadBalancersOfSharer } from '@fairway/tenancy/cloud/load-balancers';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import { storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { ControllerDependencies } from '../dependencies.ts';
import { loadBalancerViews } from './load-balancers.ts';
import { volumeViews } from './volumes.ts';

export interface CloudResourceListerOptions {
  readonly cache: Pick<ControllerDependencies['cache'], 'machines'>;
  /** Independent of the process that owns the clusters: any replica can serve the request. */
  readonly projects: Clouds;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The cloud resources of a cluster. Reads lists shared by all callers. */
export type CloudResourceLister = (cluster: Cluster) => Promise<CloudResourcesStatus>;

/** A project is listed at most this often, regardless of the number of callers. */
const MAX_AGE_MS = 15_000;
/** How long to wait for a list before returning the previous one. */
const LIST_TIMEOUT_MS = 10_000;
const MAX_ERROR_LENGTH = 500;

type Kind = UnknownResources['kind'];

/**
 * Lists the load balancers and volumes of clusters by their ownership tags. Resources that the cloud does not list in time are returned
 * from the previous list and marked as unknown.
 */
export function cloudResourceLister({ cache, projects, clock, log }: CloudResourceListerOptions): CloudResourceLister {
  return async (cluster) => {
    const { namespace = '' } = cluster.metadata;
    const cloud = projects.forNamespace(namespace, cluster.spec.credentialName);
    const nowMs = clock.now();
    const none = { time: new Date(nowMs).toISOString(), loadBalancers: [], volumes: [] };
    if (cloud === undefined) return none;
    const errors = new Map<Kind, string>();
    const late = new AbortController();
    const timer = clock.after(LIST_TIMEOUT_MS, () =>
      late.abort(new DOMException('the request timed out', 'TimeoutError')),
    );
    const seen: number[] = [];
    const listed = async <T extends Identifiable>(kind: Kind, of: ResourceCache<T>): Promise<Snapshot<T>> => {
      try {
        return await of.refreshAfter(nowMs - MAX_AGE_MS, late.signal);
      } catch (error) {
        // A cloud without the service has none of the service's resources.
        if (!isOpenStackError(error, 'notFound')) {
          errors.set(kind, messageOf(error));
          log.debug({ err: error, cluster: keyOf(cluster) }, 'could not list all cloud resources of the cluster');
        }
        return of.snapshot();
      } finally {
        const { listedAtMs } = of.snapshot();
        if (listedAtMs !== undefined) seen.push(listedAtMs);
      }
    };
    try {
      const projectID = await cloud.client.session.projectId();
      const uid = identityOf(cluster);
      const { cache: caches } = cloud;
      const [balancers, floatingIps, volumes] = await Promise.all([
        listed('LoadBalancers', caches.loadBalancers),
        listed('FloatingIPs', caches.floatingIps),
        listed('Volumes', caches.volumes),
      ]);
      const own = loadBalancersOfCluster(balancers, projectID, uid);
      const shared = loadBalancersOfSharer(balancers, projectID, uid);
      const hasResources = own.length + shared.length > 0;
      const [listeners, pools] = hasResources
        ? await Promise.all([listed('LoadBalancers', caches.listeners), listed('LoadBalancers', caches.pools)])
        : [];
      const machines = cache.machines.find(machinesByCluster, keyOf(cluster));
      return {
        ...loadBalancerViews({ own, shared, projectID, listeners, pools, floatingIps }),
        ...volumeViews(storageObjectsOfCluster(volumes, uid), machines),
        time: new Date(Math.min(nowMs, ...seen)).toISOString(),
        ...(errors.size > 0 && { unknown: [...errors].map(([kind, message]) => ({ kind, message })) }),
      };
    } catch (error) {
      // The project login failed.
      const message = messageOf(error);
      return { ...none, unknown: (['LoadBalancers', 'Volumes'] as const).map((kind) => ({ kind, message })) };
    } finally {
      timer.cancel();
    }
  };
}

function messageOf(error: unknown): string {
  const words = isOpenStackError(error) ? describeError(error) : error instanceof Error ? error.message : String(error);
  return words.slice(0, MAX_ERROR_LENGTH);
}
