import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import type { WatchProject } from '@fairway/tenancy/cloud/cluster-clouds';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';

/** Delay until a change in a project's need for polling is noticed. */
const POLL_INTERVAL_MS = 10_000;

/** How a cluster's nodes are observed. */
type NodeView = { readonly nodes: { readonly healthySinceMs: number | undefined } };

/**
 * Whether the list of servers is needed to know the state of a cluster's machines. A Ready node proves that its server
 * works: its kubelet reports every ten seconds, and missing reports are detected within a minute.
 */
export function needsServerList(machines: readonly Machine[], nodeView: NodeView | undefined): boolean {
  if (machines.length === 0) return false;
  if (nodeView?.nodes.healthySinceMs === undefined) return true;
  return machines.some(({ metadata, status }) => status?.phase !== 'Ready' || metadata.deletionTimestamp !== undefined);
}

interface PollingSources {
  readonly clusters: Pick<Informer<Cluster>, 'get'>;
  readonly machines: Pick<Informer<Machine>, 'find'>;
  readonly tenants: Pick<TenantClusters, 'get'>;
  readonly clock: Clock;
}

/** Suspends polling of a project's servers while the nodes of all of its clusters are Ready and observed. */
export function pollServersWhileUnready({ clusters, machines, tenants, clock }: PollingSources): WatchProject {
  return ({ cache: { servers } }, clusterKeys) => {
    if (!servers.canPollSlower) return () => undefined;
    const isNeededBy = (key: string) => {
      const cluster = clusters.get(key);
      return (
        cluster !== undefined &&
        needsServerList(machines.find(machinesByCluster, key), tenants.get(identityOf(cluster)))
      );
    };
    let end: (() => void) | undefined;
    const poll = () => {
      const isNeeded = [...clusterKeys].some(isNeededBy);
      if (isNeeded) end ??= servers.pollFaster();
      else {
        end?.();
        end = undefined;
      }
      timer = clock.after(POLL_INTERVAL_MS, poll);
    };
    let timer = clock.after(0, poll);
    return () => {
      timer.cancel();
      end?.();
    };
  };
}
