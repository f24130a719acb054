import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ObjectSource } from '@fairway/kube/client/object-source';
import type { Attempts } from '@fairway/kube/controller/attempts';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import type { Conventions } from './conventions.ts';
import type { TenantEvents } from './tenant-events.ts';

/** Dependencies of all controllers of the cloud provider. */
export interface CloudProviderDependencies {
  readonly cache: {
    readonly clusters: ObjectSource<Cluster>;
    readonly machines: ObjectSource<Machine>;
    readonly plans: ObjectSource<Plan>;
  };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly conventions: Conventions;
  /** Backoff per Fairway object, keyed by its identity. */
  readonly attempts: Attempts;
  readonly events: TenantEvents;
  readonly clock: Clock;
  /** A uniformly distributed number in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/** Exports of the file `controller.ts` in a controller's directory. */
export type Declaration = ControllerDeclaration<CloudProviderDependencies>;
