import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { HeldObjects } from '@fairway/kube/client/held-objects';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ConfiguredBalancing } from './cloud-conf/cloud-conf.ts';

/** What is known of the one cluster before anybody has looked. */
export interface KnownCluster {
  /** UID of the namespace kube-system: the mark of what is made for the cluster. */
  readonly uid: string;
  /** In names that people see. */
  readonly name: string;
  /** The range of its pods, where routes lead to them. */
  readonly podCIDR: string | undefined;
  readonly routerID: string | undefined;
  readonly balancing: ConfiguredBalancing;
  /** What openstack-cloud-controller-manager called the cluster, whose load balancers are taken over; undefined: none are. */
  readonly adoptedClusterName?: string | undefined;
}

/** Of the controllers that stand in for those of Fairway: they find out what the others know from a Cluster and Machines. */
export interface StandaloneDependencies extends CloudProviderDependencies {
  readonly cluster: KnownCluster;
  readonly clusters: HeldObjects<Cluster>;
  readonly machines: HeldObjects<Machine>;
}

export type StandaloneDeclaration = ControllerDeclaration<StandaloneDependencies>;
