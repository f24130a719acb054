import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Attempts } from '@fairway/kube/controller/attempts';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import type { CacheExpectations } from '../cache-expectations.ts';
import type { ServerBuilds } from './server-builds.ts';

export interface MachineDependencies {
  readonly client: KubeClient;
  readonly cache: {
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
  };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly clock: Clock;
  /** Steps for one object of Fairway, by its identity; those of a project's cloud are its own. */
  readonly attempts: Attempts;
  readonly builds: ServerBuilds;
  readonly expectations: CacheExpectations;
  readonly events: EventRecorder;
}
