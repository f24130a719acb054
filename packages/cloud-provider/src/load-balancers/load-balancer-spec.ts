/** An IP family. */
export type Family = 4 | 6;

/** Algorithms of Octavia pools. */
export type Algorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTIONS' | 'SOURCE_IP' | 'SOURCE_IP_PORT';

/** The desired listener and pool for one port of a Service. */
export interface PortSpec {
  /** The Service's port. */
  readonly index: number;
  readonly port: number;
  /** Undefined if the Service has no node ports: the port then has no backends. */
  readonly nodePort: number | undefined;
  readonly listenerProtocol: 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'TERMINATED_HTTPS';
  readonly poolProtocol: 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'PROXY' | 'PROXYV2';
  readonly monitor: MonitorSpec | undefined;
}

export interface MonitorSpec {
  readonly type: 'TCP' | 'UDP-CONNECT' | 'SCTP' | 'HTTP';
  /** Seconds. */
  readonly delay: number;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly maxRetriesDown: number;
  /** Port of kube-proxy's HTTP health check, which reports whether the node has endpoints. */
  readonly port?: number;
}

/** Selects subnets; see `isMatchingSubnet`. */
export interface SubnetChoice {
  /** Name pattern. */
  readonly name: string | undefined;
  readonly tags: string | undefined;
}

export interface FloatingIPSpec {
  readonly networkID: string;
  readonly subnetID: string | undefined;
  /** Subnets from which the floating IP may be allocated if none is specified by ID; undefined for any. */
  readonly subnets: SubnetChoice | undefined;
  /** The only acceptable address, if defined. */
  readonly address: string | undefined;
  /** The field that specifies the address; by default `spec.loadBalancerIP` of the Service. */
  readonly addressField?: string;
}

/** Milliseconds. */
export interface Timeouts {
  readonly clientData: number;
  readonly memberConnect: number;
  readonly memberData: number;
  readonly tcpInspect: number;
}

/** The desired state of a load balancer, from its Service, with all defaults applied. */
export interface LoadBalancerSpec {
  readonly provider: string | undefined;
  /** IP families of the load balancer's addresses, in order; each member has an address of one of these families. */
  readonly families: readonly Family[];
  /** Whether all families are required. */
  readonly needsAllFamilies: boolean;
  readonly vip: {
    readonly subnetID: string | undefined;
    readonly networkID: string | undefined;
    readonly portID: string | undefined;
    readonly address: string | undefined;
  };
  /** Undefined for an internal load balancer. */
  readonly floatingIP: FloatingIPSpec | undefined;
  /** Whether the floating IP outlives the Service. */
  readonly keepsFloatingIP: boolean;
  readonly memberSubnetID: string | undefined;
  readonly flavor: { readonly id: string } | { readonly name: string } | undefined;
  readonly availabilityZone: string | undefined;
  readonly ports: readonly PortSpec[];
  readonly algorithm: Algorithm;
  readonly persistsBySource: boolean;
  /** Allowed ranges per restricted family; empty allows all. */
  readonly sourceRanges: readonly string[];
  readonly connectionLimit: number;
  /** Undefined if the provider has no algorithms. */
  readonly timeouts: Timeouts | undefined;
  readonly tlsContainerRef: string | undefined;
  readonly addsForwardedFor: boolean;
  /** Labels that nodes must have; null accepts any value. */
  readonly nodeSelector: ReadonlyMap<string, string | null>;
  readonly hostname: string | undefined;
  /** Suffix of the host name of a Service with PROXY; undefined to use its address. */
  readonly hostnameSuffix: string | undefined;
}
