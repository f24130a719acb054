import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { HeldObjects } from '@fairway/kube/client/held-objects';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ConfiguredLoadBalancers } from './cloud-conf/cloud-conf.ts';

/** What is known of the cluster before discovery. */
export interface KnownCluster {
  /** UID of the namespace kube-system: used in the ownership tags of the cluster's resources. */
  readonly uid: string;
  /** In names that people see. */
  readonly name: string;
  /** Its pod CIDR, if it uses routes. */
  readonly podCIDR: string | undefined;
  readonly routerID: string | undefined;
  readonly balancing: ConfiguredLoadBalancers;
  /** The cluster name of openstack-cloud-controller-manager whose load balancers are taken over; undefined if none are. */
  readonly adoptedClusterName?: string | undefined;
}

/** Dependencies of the controllers that replace Fairway's own: they discover what the others read from a Cluster and Machines. */
export interface StandaloneDependencies extends CloudProviderDependencies {
  readonly cluster: KnownCluster;
  readonly clusters: HeldObjects<Cluster>;
  readonly machines: HeldObjects<Machine>;
}

export type StandaloneDeclaration = ControllerDeclaration<StandaloneDependencies>;
