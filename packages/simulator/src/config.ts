import type { LatencyProfile } from './http/latency.ts';
import type { ProviderName } from './load-balancer/records.ts';

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
}

/** Hypervisors of one availability zone, all alike. */
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
  /** Of a type whose volumes many servers may have at once: `multiattach: '<is> True'`. */
  readonly extraSpecs: Readonly<Record<string, string>>;
  /** Its volumes are encrypted with LUKS. */
  readonly isEncrypted: boolean;
}

export interface ShareTypeSpec {
  readonly id: string;
  readonly name: string;
  /** `driver_handles_share_servers` must be among them, and False: no back end has servers of its own for shares. */
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** Limits by the services' own resource names; -1 is unlimited. */
export interface QuotaSpec {
  readonly compute: Readonly<Record<string, number>>;
  readonly network: Readonly<Record<string, number>>;
  readonly 'load-balancer': Readonly<Record<string, number>>;
  readonly 'block-storage': Readonly<Record<string, number>>;
  readonly 'shared-file-system': Readonly<Record<string, number>>;
  readonly 'key-manager': Readonly<Record<string, number>>;
}

export interface CloudConfig {
  readonly region: string;
  readonly entries: readonly CloudEntrySpec[];
  /** Password of all users; generated if absent. */
  readonly password?: string;
  readonly tokenLifetimeMs: number;
  readonly flavors: readonly FlavorSpec[];
  readonly images: readonly ImageSpec[];
  readonly zones: readonly ZoneSpec[];
  /** The first is that of volumes for which none is named. */
  readonly volumeTypes: readonly VolumeTypeSpec[];
  /** The first is that of shares for which none is named. */
  readonly shareTypes: readonly ShareTypeSpec[];
  /** How many disks a server may have, its root disk included; no limit if absent. */
  readonly maxDisksPerServer?: number;
  /** Nova's newest microversion, as its minor number: that of Zed by default. */
  readonly computeMicroversion?: number;
  readonly externalNetwork: ExternalNetworkSpec;
  /** Octavia's providers; the first is the default. */
  readonly loadBalancerProviders: readonly [ProviderName, ...ProviderName[]];
  /** The newest minor version of Octavia's API: 26, that of Zed, by default. Of what others differ in it has additional VIPs. */
  readonly loadBalancerVersion?: number;
  readonly quotas: QuotaSpec;
  readonly latency: LatencyProfile;
  /** Path of the state file; in memory only if absent. */
  readonly stateFile?: string;
}
