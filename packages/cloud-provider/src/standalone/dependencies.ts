import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { LocalObjectSource } from '@fairway/kube/client/local-object-source';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ConfiguredLoadBalancers } from './cloud-conf/cloud-conf.ts';

/** Facts about the cluster before discovery. */
export interface KnownCluster {
  /** UID of the kube-system namespace, which is used in the ownership tags of the cluster's resources. */
  readonly uid: string;
  /** The name of the cluster; used in display names. */
  readonly name: string;
  /** The cluster's pod CIDR, if pod traffic uses routes. */
  readonly podCIDR: string | undefined;
  readonly routerID: string | undefined;
  readonly loadBalancerSettings: ConfiguredLoadBalancers;
  /**
   * The cluster name of the openstack-cloud-controller-manager whose load balancers are taken over; undefined if there
   * is none.
   */
  readonly adoptedClusterName?: string | undefined;
}

/**
 * Dependencies of the controllers that replace Fairway's own and discover what other controllers read from a Cluster
 * and Machines.
 */
export interface StandaloneDependencies extends CloudProviderDependencies {
  readonly cluster: KnownCluster;
  readonly clusters: LocalObjectSource<Cluster>;
  readonly machines: LocalObjectSource<Machine>;
}

export type StandaloneDeclaration = ControllerDeclaration<StandaloneDependencies>;
