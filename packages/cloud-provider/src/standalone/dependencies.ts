import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { LocalObjectSource } from '@fairway/kube/client/local-object-source';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ConfiguredLoadBalancers } from './cloud-conf/cloud-conf.ts';

/** Facts about the cluster before discovery. */
export interface KnownCluster {
  /** UID of the namespace kube-system: used in the ownership tags of the cluster's resources. */
  readonly uid: string;
  /** Used in display names. */
  readonly name: string;
  /** Its pod CIDR, if it uses routes. */
  readonly podCIDR: string | undefined;
  readonly routerID: string | undefined;
  readonly loadBalancerSettings: ConfiguredLoadBalancers;
  /** The cluster name of openstack-cloud-controller-manager whose load balancers are taken over; undefined if none are. */
  readonly adoptedClusterName?: string | undefined;
}

/**
 * Dependencies of the controllers that replace Fairway's own and discover what the others read from a Cluster and
 * Machines.
 */
export interface StandaloneDependencies extends CloudProviderDependencies {
  readonly cluster: KnownCluster;
  readonly clusters: LocalObjectSource<Cluster>;
  readonly machines: LocalObjectSource<Machine>;
}

export type StandaloneDeclaration = ControllerDeclaration<StandaloneDependencies>;
