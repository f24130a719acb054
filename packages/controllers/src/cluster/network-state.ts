import type { NamedRange } from '@fairway/api/domain/address-plan';
import type { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup, SecurityGroupRuleCreate } from '@fairway/openstack/types/security-group';
import type { Problem } from '@fairway/tenancy/problem';

/** The desired node network of a Cluster, with the plan's defaults filled in. */
export interface DesiredNetwork {
  readonly networkID: string | undefined;
  readonly subnetID: string | undefined;
  readonly nodesCIDR: string;
  readonly dnsNameservers: readonly string[];
  readonly gateway: {
    readonly mode: 'Router' | 'Custom' | 'None';
    readonly externalNetworkID: string | undefined;
    readonly routerID: string | undefined;
    readonly address: string | undefined;
  };
  readonly loadBalancersSubnetID: string | undefined;
  /** Whether a pool requires floating IPs. */
  readonly publicNodePorts: boolean;
  /** Whether the plan requires a router with Internet access. */
  readonly gatewayRequired: boolean;
  /** Ranges that the subnets must not overlap: those of pods and Services, and those reserved by the plan. */
  readonly otherRanges: readonly NamedRange[];
}

/** The project's resources; `owned` are those with this cluster's tag, the one in use first. */
export interface ObservedNetwork {
  readonly networks: readonly Network[];
  readonly subnets: readonly Subnet[];
  readonly routers: readonly Router[];
  /** Ports that attach routers to subnets. */
  readonly routerPorts: readonly Port[];
  readonly owned: {
    readonly networks: readonly Network[];
    readonly subnets: readonly Subnet[];
    readonly routers: readonly Router[];
    readonly securityGroups: readonly SecurityGroup[];
  };
}

export type NetworkStep =
  | { readonly kind: 'createNetwork' }
  | { readonly kind: 'enablePortSecurity'; readonly network: Network }
  | { readonly kind: 'createSubnet'; readonly networkID: string; readonly gatewayIp: string | null | undefined }
  | { readonly kind: 'createRouter'; readonly externalNetworkID: string }
  | { readonly kind: 'updateSubnet'; readonly subnet: Subnet; readonly changes: { readonly dns_nameservers: string[] } }
  /** An undefined address selects a free one. */
  | { readonly kind: 'setGateway'; readonly subnet: Subnet; readonly address: string | null | undefined }
  | { readonly kind: 'setExternalNetwork'; readonly router: Router; readonly externalNetworkID: string }
  | { readonly kind: 'attachRouter'; readonly routerID: string; readonly subnet: Subnet }
  | { readonly kind: 'detachRouter'; readonly routerID: string; readonly subnet: Subnet }
  | { readonly kind: 'createSecurityGroup' }
  | { readonly kind: 'createRules'; readonly group: SecurityGroup; readonly rules: readonly SecurityGroupRuleCreate[] }
  | { readonly kind: 'deleteRule'; readonly group: SecurityGroup; readonly id: string }
  | {
      readonly kind: 'deleteExtra';
      readonly type: 'network' | 'subnet' | 'router' | 'securityGroup';
      readonly id: string;
    };

export interface ResolvedNetwork {
  readonly networkID?: string;
  readonly subnetID?: string;
  readonly nodesCIDR?: string;
  readonly routerID?: string;
  readonly externalNetworkID?: string;
  readonly egressAddress?: string;
  readonly securityGroupID?: string;
  readonly loadBalancersSubnetID?: string;
}

export interface NetworkPlan {
  /**
   * Steps that are possible now, in any order and concurrently; planning again after any of them returns the next
   * steps.
   */
  readonly steps: readonly NetworkStep[];
  readonly resolved: ResolvedNetwork;
  readonly problem?: Problem;
  readonly ready: boolean;
  /** Whether servers can be created in the network: the remaining steps are needed only once servers have booted. */
  readonly nodesCanStart: boolean;
}
