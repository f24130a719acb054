import type { LatencyProfile } from './http/latency.ts';
import type { ProviderName } from './load-balancer/records.ts';
import type { ServiceName } from './service-list.ts';

export interface FlavorSpec {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ramMiB: number;
  readonly diskGiB: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

export interface ImageSpec {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly minDiskGiB: number;
  readonly minRamMiB: number;
  readonly properties: Readonly<Record<string, string>>;
  /** Public by default. */
  readonly visibility?: 'public' | 'private' | 'shared' | 'community';
  /** Name of the project that created the image; the administrators' project by default. */
  readonly project?: string;
  /** Defaults to the same time in every cloud. */
  readonly createdMs?: number;
}

/** An availability zone with identical hypervisors. */
export interface ZoneSpec {
  readonly name: string;
  readonly hosts: number;
  readonly hostVcpus: number;
  readonly hostRamMiB: number;
  readonly hostDiskGiB: number;
}

export interface ExternalNetworkSpec {
  readonly name: string;
  readonly cidr: string;
  readonly gatewayIp: string;
  readonly allocationPool: { readonly start: string; readonly end: string };
}

/** A user with a role on a project, and its entry in clouds.yaml. */
export interface CloudEntrySpec {
  /** Name of the entry in clouds.yaml. */
  readonly entry: string;
  readonly user: string;
  readonly project: string;
  readonly role: 'admin' | 'member' | 'reader' | 'service';
}

export interface VolumeTypeSpec {
  readonly id: string;
  readonly name: string;
  /** A type whose volumes can be attached to several servers: `multiattach: '<is> True'`. */
  readonly extraSpecs: Readonly<Record<string, string>>;
  /** Its volumes are encrypted with LUKS. */
  readonly isEncrypted: boolean;
}

/** A load balancer size. */
export interface LoadBalancerFlavorSpec {
  readonly id: string;
  readonly profileId: string;
  readonly name: string;
  readonly description: string;
  /** Profile data that is passed to the amphora provider. */
  readonly data: Readonly<Record<string, string>>;
}

export interface ShareTypeSpec {
  readonly id: string;
  readonly name: string;
  /** Must contain `driver_handles_share_servers` with the value False: no back end has share servers. */
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** Limits keyed by the services' own resource names; -1 means unlimited. */
export interface QuotaSpec {
  readonly compute: Readonly<Record<string, number>>;
  readonly network: Readonly<Record<string, number>>;
  readonly 'load-balancer': Readonly<Record<string, number>>;
  readonly 'block-storage': Readonly<Record<string, number>>;
  readonly 'shared-file-system': Readonly<Record<string, number>>;
  readonly 'key-manager': Readonly<Record<string, number>>;
}

export interface SubnetPoolSpec {
  readonly id: string;
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly ipVersion: 4 | 6;
}

export interface CloudConfig {
  readonly region: string;
  /** Services that the catalog does not list; none by default. */
  readonly missingServices?: readonly ServiceName[];
  readonly entries: readonly CloudEntrySpec[];
  /** Password of all users; generated if absent. */
  readonly password?: string;
  readonly tokenLifetimeMs: number;
  readonly flavors: readonly FlavorSpec[];
  readonly images: readonly ImageSpec[];
  readonly zones: readonly ZoneSpec[];
  /** The first type is the default for volumes. */
  readonly volumeTypes: readonly VolumeTypeSpec[];
  /** The first type is the default for shares. */
  readonly shareTypes: readonly ShareTypeSpec[];
  /** Maximum number of disks per server, including its root disk; unlimited if absent. */
  readonly maxDisksPerServer?: number;
  /**
   * Nova's `reclaim_instance_interval`: how long a deleted server that has run is kept. If absent, servers are deleted
   * immediately.
   */
  readonly reclaimInstanceIntervalMs?: number;
  /** Whether Nova's policy restricts `forceDelete`, which ends that interval early, to administrators. */
  readonly forbidsForceDelete?: boolean;
  /** Minor number of Nova's newest microversion; Zed's by default. */
  readonly computeMicroversion?: number;
  readonly externalNetwork: ExternalNetworkSpec;
  /** Shared subnet pools, which can only be read; none by default. */
  readonly subnetPools?: readonly SubnetPoolSpec[];
  /** Default for the port security of networks; enabled by default. */
  readonly portSecurityByDefault?: boolean;
  /** Octavia's providers; the first is the default. */
  readonly loadBalancerProviders: readonly [ProviderName, ...ProviderName[]];
  /** Octavia's flavors, if the amphora provider is enabled. */
  readonly loadBalancerFlavors: readonly LoadBalancerFlavorSpec[];
  /**
   * The newest minor version of Octavia's API: 26 (Zed) by default. Additional VIPs are the only simulated difference
   * between versions.
   */
  readonly loadBalancerVersion?: number;
  readonly quotas: QuotaSpec;
  readonly latency: LatencyProfile;
  /** Path of the state file; if absent, state is kept only in memory. */
  readonly stateFile?: string;
}
