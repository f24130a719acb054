import type { SecurityGroupFacts } from '../domain/security-groups.ts';

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
  /** For example `ubuntu 24.04`; undefined if the image's properties do not say. */
  readonly os?: string;
  /** Whether servers can boot from the image; undefined if unknown. */
  readonly isActive?: boolean;
  /** Servers can boot from the image, but the cloud's operator no longer lists it. */
  readonly isHidden?: boolean;
  readonly visibility?: 'public' | 'private' | 'shared' | 'community';
  /** Created from a server's disk. */
  readonly isSnapshot?: boolean;
  /** The newest of several matching images is preferred. */
  readonly createdAt?: string;
}

export interface CatalogueNetwork {
  readonly id: string;
  readonly name: string;
  readonly isExternal: boolean;
  /** Owned by another project and shared. Other projects' routers in the network are not visible. */
  readonly isShared?: boolean;
  /** Belongs to another project and is not shared: only administrators can see it. */
  readonly isForeign?: boolean;
  /** False: security groups have no effect in this network. Absent: unknown, or the cloud lacks the extension. */
  readonly hasPortSecurity?: boolean;
}

export interface CatalogueSubnet {
  readonly id: string;
  readonly name: string;
  readonly networkID: string;
  readonly cidr: string;
  readonly ipVersion: 4 | 6;
  /** Null: the subnet has no default gateway. */
  readonly gatewayIP?: string | null;
  /** The addresses that Neutron allocates. */
  readonly allocationPools?: readonly { readonly start: string; readonly end: string }[];
}

export interface CatalogueRouter {
  readonly id: string;
  readonly name: string;
  /** ID of the router's external network. Null: it has none; absent: unknown. */
  readonly externalNetworkID?: string | null;
  /** The subnets that the router is attached to; absent: unknown. */
  readonly subnetIDs?: readonly string[];
}

/** A limit of the project and its usage; -1 is unlimited. */
export interface CatalogueQuota {
  readonly limit: number;
  readonly used: number;
}

/** Nova, Neutron and Cinder quotas, in the order in which they are listed. */
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

/** The known quotas. */
export type CatalogueQuotas = { readonly [Name in (typeof QUOTA_NAMES)[number]]?: CatalogueQuota };

/**
 * What the cloud offers a project in a region. A field is absent while its value is unknown because the cloud did not
 * respond: values that depend on it are not rejected, and controllers report problems in conditions later.
 */
export interface CloudCatalogue {
  readonly regions?: readonly string[];
  readonly zones?: readonly string[];
  readonly flavors?: readonly CatalogueFlavor[];
  readonly images?: readonly CatalogueImage[];
  /** The operator's default image, by ID or name. */
  readonly defaultImage?: string;
  readonly networks?: readonly CatalogueNetwork[];
  readonly subnets?: readonly CatalogueSubnet[];
  readonly routers?: readonly CatalogueRouter[];
  /** Whether the cloud provides Cinder. */
  readonly hasVolumes?: boolean;
  readonly volumeTypes?: readonly { readonly id: string; readonly name: string }[];
  readonly quotas?: CatalogueQuotas;
  /** Also absent if it was not requested. */
  readonly securityGroups?: readonly SecurityGroupFacts[];
}
