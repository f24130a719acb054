import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters as clusterKind } from '@fairway/api/kinds/cluster';
import { type Machine, machines as machineKind } from '@fairway/api/kinds/machine';
import { type Plan, plans as planKind } from '@fairway/api/kinds/plan';
import { LocalObjectSource } from '@fairway/kube/client/local-object-source';
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
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import type { Conventions } from '../conventions.ts';
import { settingsOf } from '../load-balancers/cluster-settings.ts';
import { TenantEvents } from '../tenant-events.ts';
import { clusterNetworkController } from './cluster-network-controller.ts';
import { clusterObject } from './cluster-object.ts';
import { type ControllerName, declarationsOf } from './controller-selection.ts';
import type { KnownCluster, StandaloneDeclaration, StandaloneDependencies } from './dependencies.ts';
import { nodeServerController } from './node-server-controller.ts';

export interface StandaloneOptions extends StartOptions {
  readonly cluster: KnownCluster;
  /** The project of the cluster's servers, opened with `adoptingServices`. */
  readonly project: ProjectCloud;
  readonly connect: () => Promise<Transport>;
  readonly controllers: ReadonlySet<ControllerName>;
  /** Whether a node's providerID includes its region. */
  readonly includesRegion: boolean;
}

export interface Standalone {
  readonly runnables: readonly Runnable[];
  /** Resolves once the cluster's nodes are known. */
  connect(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Replacements for Fairway's own controllers, in start order. */
export const OBSERVERS: readonly StandaloneDeclaration[] = [nodeServerController, clusterNetworkController];

/**
 * The cloud provider for one self-managed cluster. It discovers what its controllers otherwise read from a Cluster and
 * Machines.
 */
export function createStandalone(options: StandaloneOptions): Standalone {
  const { cluster: known, project, clock, random, owner } = options;
  const log = options.log.child({ component: 'controllers' });
  const clusters = new LocalObjectSource<Cluster>(clusterKind, log);
  const machines = new LocalObjectSource<Machine>(machineKind, log);
  const cluster = clusterObject(known, undefined);
  const plans = new LocalObjectSource<Plan>(planKind, log);
  clusters.put(cluster);
  const clouds = new ClusterClouds({
    clouds: { forNamespace: () => project, forgetCredential: () => {} },
    clusters,
    owner,
  });
  // The cluster belongs to the operator and may have any size.
  const tenants = new TenantClusters({ connect: options.connect, cacheLimits: 'none', clock, random, log });
  const shared: StandaloneDependencies = {
    cache: { clusters, machines, plans },
    cluster: known,
    clusters,
    machines,
    clouds,
    tenants,
    bootstrapper: NO_BOOTSTRAPPER,
    conventions: conventionsOf(options),
    attempts: new Attempts({ clock, random, log, classify: classifyError }),
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

function conventionsOf({ cluster, includesRegion }: StandaloneOptions): Conventions {
  const { loadBalancers, networkID, subnetID } = cluster.loadBalancerSettings;
  return {
    loadBalancersOf(object, cloud) {
      const settings = settingsOf(object, loadBalancers === undefined ? cloud : { loadBalancers });
      // If a network is specified without a subnet, Octavia selects one.
      return networkID === undefined || settings === undefined ? settings : { ...settings, networkID, subnetID };
    },
    // The cluster's administrator sets the limits in the cluster itself.
    limitsOf: () => ({}),
    includesRegion,
    acceptsUnmarkedRouter: true,
    upstreamClusterName: cluster.adoptedClusterName,
  };
}

/**
 * Self-managed clusters create their nodes themselves. Only the approval of kubelet certificates uses a bootstrapper,
 * and that controller does not run here.
 */
const NO_BOOTSTRAPPER: NodeBootstrapper = {
  userData: () => Promise.reject(new Error('nodes are not created for self-managed clusters')),
  tokenID: () => Promise.reject(new Error('nodes are not created for self-managed clusters')),
  revoke: () => Promise.resolve(),
};
