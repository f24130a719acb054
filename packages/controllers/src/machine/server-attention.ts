import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import type { FollowProject } from '@fairway/tenancy/cloud/cluster-clouds';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';

/** How soon it is noticed that the nodes of a project have, or have no longer, something to tell. */
const LOOK_MS = 10_000;

/** What is seen of a cluster's nodes. */
type Sight = { readonly nodes: { readonly workingSinceMs: number | undefined } };

/**
 * Whether the list of servers is needed to know how a cluster's machines are. A node that is Ready tells of its server by itself: its kubelet
 * reports every ten seconds, and within a minute it is known when it no longer does.
 */
export function needsList(machines: readonly Machine[], sight: Sight | undefined): boolean {
  if (machines.length === 0) return false;
  if (sight?.nodes.workingSinceMs === undefined) return true;
  return machines.some(({ metadata, status }) => status?.phase !== 'Ready' || metadata.deletionTimestamp !== undefined);
}

interface Sources {
  readonly clusters: Pick<Informer<Cluster>, 'get'>;
  readonly machines: Pick<Informer<Machine>, 'find'>;
  readonly tenants: Pick<TenantClusters, 'get'>;
  readonly clock: Clock;
}

/** Lets the lists of a project's servers rest while the nodes of all of its clusters are Ready and seen. */
export function attendToServers({ clusters, machines, tenants, clock }: Sources): FollowProject {
  return ({ cache: { servers } }, clusterKeys) => {
    if (!servers.mayRest) return () => undefined;
    const isNeededBy = (key: string) => {
      const cluster = clusters.get(key);
      return (
        cluster !== undefined && needsList(machines.find(machinesByCluster, key), tenants.get(identityOf(cluster)))
      );
    };
    let end: (() => void) | undefined;
    const look = () => {
      const isNeeded = [...clusterKeys].some(isNeededBy);
      if (isNeeded) end ??= servers.attend();
      else {
        end?.();
        end = undefined;
      }
      timer = clock.after(LOOK_MS, look);
    };
    let timer = clock.after(0, look);
    return () => {
      timer.cancel();
      end?.();
    };
  };
}
