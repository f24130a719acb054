import { identityOf } from '@fairway/api/identity';
import type { CloudResourcesStatus, UnknownResources } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Identified, Snapshot } from '@fairway/openstack/cache/snapshot';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { balancingOfCluster, balancingOfGuest } from '@fairway/tenancy/cloud/balancing';
import { wordsOf } from '@fairway/tenancy/cloud/cloud-words';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import { storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { ControllerDependencies } from '../dependencies.ts';
import { shownLoadBalancers } from './load-balancers.ts';
import { shownVolumes } from './volumes.ts';

export interface CloudResourceListerOptions {
  readonly cache: Pick<ControllerDependencies['cache'], 'machines'>;
  /** Whichever process owns the clusters: any replica may be asked. */
  readonly projects: Clouds;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a cluster has in the cloud. Reads lists that all who ask share. */
export type CloudResourceLister = (cluster: Cluster) => Promise<CloudResourcesStatus>;

/** However many look, a project is listed no more often than this for them. */
const MAX_AGE_MS = 15_000;
/** How long a list is waited for; then it is told what was known before. */
const PATIENCE_MS = 10_000;
const MAX_ERROR_LENGTH = 500;

type Kind = UnknownResources['kind'];

/**
 * The load balancers and volumes of clusters, by the marks that they carry, for whoever asks. What the cloud does not list in time is told as it was before, and that it is
 * not known now.
 */
export function cloudResourceLister({ cache, projects, clock, log }: CloudResourceListerOptions): CloudResourceLister {
  return async (cluster) => {
    const { namespace = '' } = cluster.metadata;
    const cloud = projects.forNamespace(namespace, cluster.spec.credentialName);
    const nowMs = clock.now();
    const none = { time: new Date(nowMs).toISOString(), loadBalancers: [], volumes: [] };
    if (cloud === undefined) return none;
    const unknown = new Map<Kind, string>();
    const late = new AbortController();
    const timer = clock.after(PATIENCE_MS, () =>
      late.abort(new DOMException('it takes long to answer', 'TimeoutError')),
    );
    const seen: number[] = [];
    const listed = async <T extends Identified>(kind: Kind, of: ResourceCache<T>): Promise<Snapshot<T>> => {
      try {
        return await of.refreshAfter(nowMs - MAX_AGE_MS, late.signal);
      } catch (error) {
        // A cloud without the service has nothing of it.
        if (!isOpenStackError(error, 'notFound')) {
          unknown.set(kind, messageOf(error));
          log.debug({ err: error, cluster: keyOf(cluster) }, 'what a cluster has in the cloud is not all known');
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
      const own = balancingOfCluster(balancers, projectID, uid);
      const shared = balancingOfGuest(balancers, projectID, uid);
      const hasAny = own.length + shared.length > 0;
      const [listeners, pools] = hasAny
        ? await Promise.all([listed('LoadBalancers', caches.listeners), listed('LoadBalancers', caches.pools)])
        : [];
      const machines = cache.machines.find(machinesByCluster, keyOf(cluster));
      return {
        ...shownLoadBalancers({ own, shared, projectID, listeners, pools, floatingIps }),
        ...shownVolumes(storedOfCluster(volumes, uid), machines),
        time: new Date(Math.min(nowMs, ...seen)).toISOString(),
        ...(unknown.size > 0 && { unknown: [...unknown].map(([kind, message]) => ({ kind, message })) }),
      };
    } catch (error) {
      // The login of the project.
      const message = messageOf(error);
      return { ...none, unknown: (['LoadBalancers', 'Volumes'] as const).map((kind) => ({ kind, message })) };
    } finally {
      timer.cancel();
    }
  };
}

function messageOf(error: unknown): string {
  const words = isOpenStackError(error) ? wordsOf(error) : error instanceof Error ? error.message : String(error);
  return words.slice(0, MAX_ERROR_LENGTH);
}
