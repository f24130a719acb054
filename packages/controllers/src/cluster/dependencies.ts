import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Attempts } from '@fairway/kube/controller/attempts';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';

export interface ClusterDependencies {
  readonly client: KubeClient;
  readonly cache: {
    readonly credentials: Informer<CloudCredential>;
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
    readonly plans: Informer<Plan>;
    readonly releases: Informer<KubernetesRelease>;
  };
  readonly clouds: ClusterClouds;
  readonly runtime: ControlPlaneRuntime;
  readonly credentials: ClusterCredentials;
  readonly tenants: TenantClusters;
  readonly clock: Clock;
  /** Steps for one object of Fairway, by its identity; those of a project's cloud are its own. */
  readonly attempts: Attempts;
  readonly events: EventRecorder;
}
