import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import {
  type AllowedAddressPair,
  FloatingIp,
  type FloatingIpCreate,
  NetworkAvailabilityZone,
  type NetworkCreate,
  NetworkExtension,
  NetworkQuotaDetails,
  Network as NetworkResource,
  Port,
  type PortCreate,
  Subnet,
  type SubnetCreate,
  SubnetPool,
} from '../types/network.ts';
import {
  SecurityGroup,
  type SecurityGroupCreate,
  SecurityGroupRule,
  type SecurityGroupRuleCreate,
} from '../types/security-group.ts';
import { NeutronCollection } from './neutron-collection.ts';
import { Routers } from './routers.ts';

export interface NetworkFilter {
  readonly status?: string;
  readonly shared?: boolean;
  readonly 'router:external'?: boolean;
}

export type NetworkUpdate = Partial<
  Pick<NetworkCreate, 'name' | 'description' | 'admin_state_up' | 'mtu' | 'port_security_enabled'>
>;

export interface SubnetFilter {
  readonly network_id?: string;
  readonly cidr?: string;
  readonly ip_version?: 4 | 6;
}

export type SubnetUpdate = Partial<
  Pick<
    SubnetCreate,
    'name' | 'description' | 'gateway_ip' | 'enable_dhcp' | 'dns_nameservers' | 'allocation_pools' | 'host_routes'
  >
>;

export interface SubnetPoolFilter {
  readonly ip_version?: 4 | 6;
}

export interface PortFilter {
  readonly network_id?: string;
  readonly device_id?: string;
  /** Any of these values may match. */
  readonly device_owner?: string | readonly string[];
  readonly status?: string;
  readonly mac_address?: string;
  /** `subnet_id=ID` or `ip_address=ADDRESS`. */
  readonly fixed_ips?: string;
}

export type PortUpdate = Partial<
  Pick<
    PortCreate,
    | 'name'
    | 'description'
    | 'admin_state_up'
    | 'fixed_ips'
    | 'security_groups'
    | 'port_security_enabled'
    | 'device_id'
    | 'device_owner'
  >
> & { readonly allowed_address_pairs?: AllowedAddressPair[] };

export interface FloatingIpFilter {
  readonly floating_network_id?: string;
  readonly floating_ip_address?: string;
  readonly port_id?: string;
  readonly router_id?: string;
  readonly status?: string;
}

/** `port_id: null` disassociates it. */
export type FloatingIpUpdate = Partial<Pick<FloatingIpCreate, 'port_id' | 'fixed_ip_address' | 'description'>>;

export type SecurityGroupUpdate = Partial<SecurityGroupCreate>;

export interface SecurityGroupRuleFilter {
  readonly security_group_id?: string;
  readonly direction?: 'ingress' | 'egress';
  readonly remote_group_id?: string;
}

const ExtensionList = z.object({ extensions: list(NetworkExtension) });
const ZoneList = z.object({ availability_zones: list(NetworkAvailabilityZone) });
const QuotaDetails = z.object({ quota: NetworkQuotaDetails });

/** https://docs.openstack.org/api-ref/network/v2/; no microversions, but extensions. */
export class Network {
  readonly networks: NeutronCollection<NetworkResource, NetworkCreate, NetworkUpdate, NetworkFilter>;
  readonly subnets: NeutronCollection<Subnet, SubnetCreate, SubnetUpdate, SubnetFilter>;
  /** Pools of the project and shared ones; Fairway only lists them. */
  readonly subnetPools: NeutronCollection<SubnetPool, never, never, SubnetPoolFilter>;
  readonly ports: NeutronCollection<Port, PortCreate, PortUpdate, PortFilter>;
  readonly routers: Routers;
  readonly floatingIps: NeutronCollection<FloatingIp, FloatingIpCreate, FloatingIpUpdate, FloatingIpFilter>;
  readonly securityGroups: NeutronCollection<SecurityGroup, SecurityGroupCreate, SecurityGroupUpdate, object>;
  /** Rules can't be changed and have no tags. `createMany` creates a group's rules in one call. */
  readonly securityGroupRules: NeutronCollection<
    SecurityGroupRule,
    SecurityGroupRuleCreate,
    never,
    SecurityGroupRuleFilter
  >;
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
    this.networks = new NeutronCollection(api, { plural: 'networks', singular: 'network' }, NetworkResource);
    this.subnets = new NeutronCollection(api, { plural: 'subnets', singular: 'subnet' }, Subnet);
    this.subnetPools = new NeutronCollection(api, { plural: 'subnetpools', singular: 'subnetpool' }, SubnetPool);
    this.ports = new NeutronCollection(api, { plural: 'ports', singular: 'port' }, Port);
    this.routers = new Routers(api);
    this.floatingIps = new NeutronCollection(api, { plural: 'floatingips', singular: 'floatingip' }, FloatingIp);
    this.securityGroups = new NeutronCollection(
      api,
      { plural: 'security-groups', singular: 'security_group' },
      SecurityGroup,
    );
    this.securityGroupRules = new NeutronCollection(
      api,
      { plural: 'security-group-rules', singular: 'security_group_rule' },
      SecurityGroupRule,
    );
  }

  /** Id of the session's project. */
  projectId(): Promise<string> {
    return this.#api.projectId();
  }

  /** `GET /extensions`. */
  async extensions(options: CallOptions = {}): Promise<readonly NetworkExtension[]> {
    return (await this.#api.get(ExtensionList, '/extensions', options)).extensions;
  }

  /** `GET /availability_zones`: for networks and for routers. */
  async availabilityZones(options: CallOptions = {}): Promise<readonly NetworkAvailabilityZone[]> {
    return (await this.#api.get(ZoneList, '/availability_zones', options)).availability_zones;
  }

  /** `GET /quotas/{project_id}/details.json`: limits and usage; defaults to the session's project. */
  async quotaDetails(projectId?: string, options: CallOptions = {}): Promise<NetworkQuotaDetails> {
    const params = { project_id: projectId ?? (await this.#api.projectId()) };
    return (await this.#api.get(QuotaDetails, '/quotas/{project_id}/details.json', { ...options, params })).quota;
  }
}
