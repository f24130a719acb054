import type { CloudBalancerClass, CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';

/** What a `loadbalancer.openstack.org/class` stands for. */
export type LoadBalancerClass = Partial<CloudBalancerClass>;

/** How often and how long health monitors try; in seconds where it is a time. */
export type MonitorSettings = CloudLoadBalancers['monitor'];

/** What a cluster's load balancers are like where a Service says nothing else. */
export interface LoadBalancerSettings extends Omit<CloudLoadBalancers, 'classes'> {
  /** In names that people see, nowhere else. */
  readonly clusterName: string;
  /** Where the load balancers' own addresses come from. */
  readonly subnetID: string | undefined;
  /** The same, where no subnet is said. */
  readonly networkID?: string | undefined;
  /** Where members are. */
  readonly memberSubnetID: string | undefined;
  /** External network of floating IPs; without one all load balancers are internal. */
  readonly floatingNetworkID: string | undefined;
  readonly classes: ReadonlyMap<string, LoadBalancerClass>;
}
