import type { CloudBalancerClass, CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';

/** Settings of a `loadbalancer.openstack.org/class`. */
export type LoadBalancerClass = Partial<CloudBalancerClass>;

/** Intervals and retries of health monitors; times in seconds. */
export type MonitorSettings = CloudLoadBalancers['monitor'];

/** Defaults for a cluster's load balancers, unless a Service specifies otherwise. */
export interface LoadBalancerSettings extends Omit<CloudLoadBalancers, 'classes'> {
  /** The name of the cluster; used only in display names. */
  readonly clusterName: string;
  /** Subnet of the load balancers' VIPs. */
  readonly subnetID: string | undefined;
  /** Network of the VIPs, if no subnet is specified. */
  readonly networkID?: string | undefined;
  /** Subnet of the members. */
  readonly memberSubnetID: string | undefined;
  /** External network for floating IPs; if undefined, all load balancers are internal. */
  readonly floatingNetworkID: string | undefined;
  readonly classes: ReadonlyMap<string, LoadBalancerClass>;
}
