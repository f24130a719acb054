/** What a `loadbalancer.openstack.org/class` stands for. */
export interface LoadBalancerClass {
  readonly networkID?: string;
  readonly subnetID?: string;
  readonly memberSubnetID?: string;
  readonly floatingNetworkID?: string;
  readonly floatingSubnetID?: string;
  readonly floatingSubnet?: string;
  readonly floatingSubnetTags?: string;
}

/** How often and how long health monitors try; in seconds where it is a time. */
export interface MonitorSettings {
  readonly delay: number;
  /** At most the delay: Octavia refuses more. */
  readonly timeout: number;
  /** Successes until a member is up. */
  readonly maxRetries: number;
  /** Failures until it is down. */
  readonly maxRetriesDown: number;
}

/** What a cluster's load balancers are like where a Service says nothing else. */
export interface LoadBalancerSettings {
  /** In names that people see, nowhere else. */
  readonly clusterName: string;
  /** Undefined: Octavia's own default. */
  readonly provider: string | undefined;
  /** Where the load balancers' own addresses come from. */
  readonly subnetID: string | undefined;
  /** Where members are. */
  readonly memberSubnetID: string | undefined;
  /** External network of floating IPs; without one all load balancers are internal. */
  readonly floatingNetworkID: string | undefined;
  readonly monitor: MonitorSettings;
  readonly classes: ReadonlyMap<string, LoadBalancerClass>;
}

/** As cloud-provider-openstack's options monitor-delay, monitor-timeout, monitor-max-retries and monitor-max-retries-down. */
export const DEFAULT_MONITOR: MonitorSettings = { delay: 5, timeout: 3, maxRetries: 1, maxRetriesDown: 3 };
