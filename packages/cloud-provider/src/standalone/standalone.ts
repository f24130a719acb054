import type { StorageLimits } from '@fairway/api/domain/plan-storage';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters as clusterKind } from '@fairway/api/kinds/cluster';
import { type Machine, machines as machineKind } from '@fairway/api/kinds/machine';
import { type Plan, plans as planKind } from '@fairway/api/kinds/plan';
import { HeldObjects } from '@fairway/kube/client/held-objects';
import type { Transport } from '@fairway/kube/client/transport';
import { Attempts } from '@fairway/kube/controller/attempts';
import {
  type ControllerDeclaration,
  declaredControllers,
  type StartOptions,
} from '@fairway/kube/controller/declaration';
import type { Runnable } from '@fairway/kube/controller/manager';
import { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import { judgeStep } from '@fairway/tenancy/reconcile/failure';
import type { Conventions } from '../conventions.ts';
import { settingsOf } from '../load-balancers/settings-of-cluster.ts';
import { TenantEvents } from '../tenant-events.ts';
import { type ControllerName, declarationsOf } from './chosen-controllers.ts';
import { clusterNetworkController } from './cluster-network-controller.ts';
import { clusterObject } from './cluster-object.ts';
import type { KnownCluster, StandaloneDeclaration, StandaloneDependencies } from './dependencies.ts';
import { nodeServerController } from './node-server-controller.ts';

export interface StandaloneOptions extends StartOptions {
  readonly cluster: KnownCluster;
  /** The project of its servers, opened with `adoptingServices`. */
  readonly project: ProjectCloud;
  readonly connect: () => Promise<Transport>;
  readonly controllers: ReadonlySet<ControllerName>;
  /** Whether the providerID of a node names its region. */
  readonly namesRegion: boolean;
}

export interface Standalone {
  readonly runnables: readonly Runnable[];
  /** Resolves when the cluster's nodes are known. */
  connect(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** What stands in for Fairway's own controllers, in start order. */
export const OBSERVERS: readonly StandaloneDeclaration[] = [nodeServerController, clusterNetworkController];

/** The cloud provider for one cluster that is not of Fairway's making: what its controllers know from a Cluster and Machines elsewhere is found out here. */
export function createStandalone(options: StandaloneOptions): Standalone {
  const { cluster: known, project, clock, random, owner } = options;
  const log = options.log.child({ component: 'controllers' });
  const clusters = new HeldObjects<Cluster>(clusterKind, log);
  const machines = new HeldObjects<Machine>(machineKind, log);
  const cluster = clusterObject(known, undefined);
  const plans = new HeldObjects<Plan>(planKind, log);
  clusters.put(cluster);
  const clouds = new ClusterClouds({
    clouds: { forNamespace: () => project, forgetCredential: () => {} },
    clusters,
    owner,
  });
  const tenants = new TenantClusters({ connect: options.connect, clock, random, log });
  const shared: StandaloneDependencies = {
    cache: { clusters, machines, plans },
    cluster: known,
    clusters,
    machines,
    clouds,
    tenants,
    bootstrapper: NO_BOOTSTRAPPER,
    conventions: conventionsOf(options),
    attempts: new Attempts({ clock, random, log, judge: judgeStep }),
    events: new TenantEvents({ component: 'cloud-node-controller', clock, random, log }),
    clock,
    random,
    log,
  };
  const declarations: readonly ControllerDeclaration<StandaloneDependencies>[] = [
    ...OBSERVERS,
    ...declarationsOf(options.controllers),
  ];
  return {
    runnables: declaredControllers(declarations, shared, { ...options, log }),
    connect: (signal) => tenants.ensure(cluster, signal),
    close: () => tenants.close(),
  };
}

const NO_LIMITS: StorageLimits = { classes: [], accessModes: undefined, areTenantClassesAllowed: true };

function conventionsOf({ cluster, namesRegion }: StandaloneOptions): Conventions {
  const { loadBalancers, networkID, subnetID } = cluster.balancing;
  return {
    loadBalancersOf(object, cloud) {
      const settings = settingsOf(object, loadBalancers === undefined ? cloud : { loadBalancers });
      // Where a network is said, and no subnet of it, Octavia chooses one.
      return networkID === undefined || settings === undefined ? settings : { ...settings, networkID, subnetID };
    },
    // Whoever runs the cluster sets its limits there.
    storageLimitsOf: () => NO_LIMITS,
    namesRegion,
    takesUnmarkedRouter: true,
    upstreamClusterName: cluster.adoptedClusterName,
  };
}

/** Nobody boots nodes here: only the approval of kubelets' certificates asks for it, which does not run. */
const NO_BOOTSTRAPPER: NodeBootstrapper = {
  userData: () => Promise.reject(new Error('nodes are not made here')),
  tokenID: () => Promise.reject(new Error('nodes are not made here')),
  revoke: () => Promise.resolve(),
};
