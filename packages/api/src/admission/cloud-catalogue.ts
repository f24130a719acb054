export interface CatalogueFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

export interface CatalogueImage {
  readonly id: string;
  readonly name: string;
  readonly minDiskGiB: number;
  readonly minMemoryMiB: number;
  /** Such as `ubuntu 24.04`; undefined if the image does not say. */
  readonly os?: string;
  /** Whether servers can boot it; undefined if unknown. */
  readonly isActive?: boolean;
}

export interface CatalogueNetwork {
  readonly id: string;
  readonly name: string;
  readonly isExternal: boolean;
}

export interface CatalogueSubnet {
  readonly id: string;
  readonly name: string;
  readonly networkID: string;
  readonly cidr: string;
  readonly ipVersion: 4 | 6;
  /** Null: it has no default gateway. */
  readonly gatewayIP?: string | null;
  /** The addresses that Neutron gives out. */
  readonly allocationPools?: readonly { readonly start: string; readonly end: string }[];
}

export interface CatalogueRouter {
  readonly id: string;
  readonly name: string;
  /** Of the external network that it leads to. Null: it leads nowhere; absent: not known. */
  readonly externalNetworkID?: string | null;
  /** The subnets that it is attached to; absent: not known. */
  readonly subnetIDs?: readonly string[];
}

/** A limit of the project and its usage; -1 is unlimited. */
export interface CatalogueQuota {
  readonly limit: number;
  readonly used: number;
}

/** Of Nova, Neutron and Cinder, in the order in which they are listed. */
export const QUOTA_NAMES = [
  'instances',
  'cores',
  'memoryMiB',
  'serverGroups',
  'networks',
  'subnets',
  'routers',
  'ports',
  'floatingIPs',
  'securityGroups',
  'securityGroupRules',
  'volumes',
  'volumeGiB',
] as const;

/** Those that are known. */
export type CatalogueQuotas = { readonly [Name in (typeof QUOTA_NAMES)[number]]?: CatalogueQuota };

/**
 * What the cloud offers a project in a region. A field is absent while it is unknown (the cloud did not answer): then
 * nothing that depends on it is rejected, and the controllers report problems in conditions later.
 */
export interface CloudCatalogue {
  readonly regions?: readonly string[];
  readonly zones?: readonly string[];
  readonly flavors?: readonly CatalogueFlavor[];
  readonly images?: readonly CatalogueImage[];
  readonly networks?: readonly CatalogueNetwork[];
  readonly subnets?: readonly CatalogueSubnet[];
  readonly routers?: readonly CatalogueRouter[];
  /** Whether the cloud has Cinder. */
  readonly hasVolumes?: boolean;
  readonly volumeTypes?: readonly { readonly id: string; readonly name: string }[];
  readonly quotas?: CatalogueQuotas;
}
