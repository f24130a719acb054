/** Of IP addresses. */
export type Family = 4 | 6;

/** Algorithms of Octavia's pools. */
export type Algorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTIONS' | 'SOURCE_IP' | 'SOURCE_IP_PORT';

/** How a port of a Service is to be served. */
export interface PortWish {
  /** Of the port in the Service. */
  readonly index: number;
  readonly port: number;
  /** Undefined where the Service allocates none: nothing can be behind it. */
  readonly nodePort: number | undefined;
  readonly listenerProtocol: 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'TERMINATED_HTTPS';
  readonly poolProtocol: 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'PROXY' | 'PROXYV2';
  readonly monitor: MonitorWish | undefined;
}

export interface MonitorWish {
  readonly type: 'TCP' | 'UDP-CONNECT' | 'SCTP' | 'HTTP';
  /** Seconds. */
  readonly delay: number;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly maxRetriesDown: number;
  /** Of HTTP: where kube-proxy says whether this node has endpoints. */
  readonly port?: number;
}

/** See `isChosen`. */
export interface SubnetChoice {
  /** Pattern of the name. */
  readonly name: string | undefined;
  readonly tags: string | undefined;
}

export interface FloatingIPWish {
  readonly networkID: string;
  readonly subnetID: string | undefined;
  /** Which subnets it may come from, where none is named by its id; undefined: any. */
  readonly subnets: SubnetChoice | undefined;
  /** This one and no other. */
  readonly address: string | undefined;
  /** Where that is said; `spec.loadBalancerIP` of a Service by default. */
  readonly addressField?: string;
}

/** Milliseconds. */
export interface Timeouts {
  readonly clientData: number;
  readonly memberConnect: number;
  readonly memberData: number;
  readonly tcpInspect: number;
}

/** What a Service asks of its load balancer, with all defaults applied. */
export interface Wishes {
  readonly provider: string | undefined;
  /** IP families of the load balancer's addresses, in their order; a member has an address of one of them. */
  readonly families: readonly Family[];
  /** Whether it is to have all of them, or none. */
  readonly needsAllFamilies: boolean;
  readonly vip: {
    readonly subnetID: string | undefined;
    readonly networkID: string | undefined;
    readonly portID: string | undefined;
    readonly address: string | undefined;
  };
  /** Undefined: an internal load balancer. */
  readonly floatingIP: FloatingIPWish | undefined;
  /** Whether a floating IP survives the Service. */
  readonly keepsFloatingIP: boolean;
  readonly memberSubnetID: string | undefined;
  readonly flavor: { readonly id: string } | { readonly name: string } | undefined;
  readonly availabilityZone: string | undefined;
  readonly ports: readonly PortWish[];
  readonly algorithm: Algorithm;
  readonly persistsBySource: boolean;
  /** Of the families that are limited; empty: everybody. */
  readonly sourceRanges: readonly string[];
  readonly connectionLimit: number;
  /** Undefined where the provider has none. */
  readonly timeouts: Timeouts | undefined;
  readonly tlsContainerRef: string | undefined;
  readonly addsForwardedFor: boolean;
  /** Labels that nodes must have; null: with any value. */
  readonly nodeSelector: ReadonlyMap<string, string | null>;
  readonly hostname: string | undefined;
  /** Of the host name that a Service behind PROXY has; undefined: it has its address. */
  readonly hostnameSuffix: string | undefined;
}
