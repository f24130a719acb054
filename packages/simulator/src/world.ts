import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Attachment, Snapshot, Volume, VolumeType } from './block-storage/records.ts';
import type { Consoles } from './compute/consoles.ts';
import type { KeyPair, Quota, Server, ServerGroup } from './compute/records.ts';
import type { CloudConfig } from './config.ts';
import type { Faults } from './http/faults.ts';
import type {
  AnnouncedService,
  ApplicationCredential,
  Project,
  Revocation,
  RoleAssignment,
  Secret,
  Trust,
  User,
  UserCredential,
} from './identity/records.ts';
import type { ProviderKey } from './identity-provider/provider-key.ts';
import type { ProviderGrant } from './identity-provider/records.ts';
import type { Ids } from './ids.ts';
import type { KeyContainer, KeyOrder, KeySecret } from './key-manager/records.ts';
import type {
  HealthMonitor,
  L7Policy,
  L7Rule,
  Listener,
  LoadBalancer,
  LoadBalancerFlavor,
  LoadBalancerZone,
  Member,
  Pool,
  Profile,
} from './load-balancer/records.ts';
import type {
  FloatingIp,
  Network,
  Port,
  RbacPolicy,
  Router,
  SecurityGroup,
  SecurityGroupRule,
  Subnet,
} from './network/records.ts';
import type { AccessRule, Share, ShareMessage, ShareSnapshot, ShareType } from './shared-file-system/records.ts';
import type { Database } from './state/database.ts';
import type { Index, Table } from './state/table.ts';

/** The state shared by all services of one cloud. */
export interface World {
  readonly clock: Clock;
  readonly random: () => number;
  readonly ids: Ids;
  readonly log: Logger;
  readonly config: CloudConfig;
  readonly faults: Faults;
  readonly consoles: Consoles;
  /** Key that signs the identity provider's tokens. */
  readonly providerKey: ProviderKey;
  /** External services by type. */
  readonly announced: Map<string, AnnouncedService>;
  /** Keystone's `trusted_dashboard`: the addresses to which Keystone passes tokens after single sign-on. */
  readonly trustedDashboards: Set<string>;
  readonly database: Database;
  readonly tables: Tables;
  readonly indexes: Indexes;
}

export interface Indexes {
  readonly portsByDevice: Index<Port>;
  readonly portsByNetwork: Index<Port>;
  readonly floatingIpsByPort: Index<FloatingIp>;
  readonly rulesByGroup: Index<SecurityGroupRule>;
  readonly subnetsByNetwork: Index<Subnet>;
  readonly policiesByObject: Index<RbacPolicy>;
  readonly listenersByLoadBalancer: Index<Listener>;
  readonly listenersByDefaultPool: Index<Listener>;
  readonly poolsByLoadBalancer: Index<Pool>;
  readonly membersByPool: Index<Member>;
  readonly monitorsByPool: Index<HealthMonitor>;
  readonly policiesByListener: Index<L7Policy>;
  readonly policiesByPool: Index<L7Policy>;
  readonly rulesByPolicy: Index<L7Rule>;
  readonly attachmentsByVolume: Index<Attachment>;
  readonly snapshotsByVolume: Index<Snapshot>;
  readonly accessRulesByShare: Index<AccessRule>;
  readonly snapshotsByShare: Index<ShareSnapshot>;
}

export function declareIndexes(tables: Tables): Indexes {
  const { ports, floatingIps, securityGroupRules, subnets, rbacPolicies, attachments, snapshots } = tables;
  const { accessRules, shareSnapshots } = tables;
  const { listeners, pools, members, healthMonitors, l7Policies, l7Rules } = tables;
  return {
    portsByDevice: ports.indexBy((port) => port.device_id),
    portsByNetwork: ports.indexBy((port) => port.network_id),
    floatingIpsByPort: floatingIps.indexBy((floatingIp) => floatingIp.port_id ?? ''),
    rulesByGroup: securityGroupRules.indexBy((rule) => rule.security_group_id),
    subnetsByNetwork: subnets.indexBy((subnet) => subnet.network_id),
    policiesByObject: rbacPolicies.indexBy((policy) => policy.object_id),
    listenersByLoadBalancer: listeners.indexBy((listener) => listener.load_balancer_id),
    listenersByDefaultPool: listeners.indexBy((listener) => listener.default_pool_id ?? ''),
    poolsByLoadBalancer: pools.indexBy((pool) => pool.load_balancer_id),
    membersByPool: members.indexBy((member) => member.pool_id),
    monitorsByPool: healthMonitors.indexBy((monitor) => monitor.pool_id),
    policiesByListener: l7Policies.indexBy((policy) => policy.listener_id),
    policiesByPool: l7Policies.indexBy((policy) => policy.redirect_pool_id ?? ''),
    rulesByPolicy: l7Rules.indexBy((rule) => rule.l7policy_id),
    attachmentsByVolume: attachments.indexBy((attachment) => attachment.volumeId),
    snapshotsByVolume: snapshots.indexBy((snapshot) => snapshot.volumeId),
    accessRulesByShare: accessRules.indexBy((rule) => rule.shareId),
    snapshotsByShare: shareSnapshots.indexBy((snapshot) => snapshot.shareId),
  };
}

export interface Tables {
  readonly secrets: Table<Secret>;
  readonly projects: Table<Project>;
  readonly users: Table<User>;
  readonly assignments: Table<RoleAssignment>;
  readonly applicationCredentials: Table<ApplicationCredential>;
  readonly userCredentials: Table<UserCredential>;
  readonly providerGrants: Table<ProviderGrant>;
  readonly trusts: Table<Trust>;
  readonly revocations: Table<Revocation>;
  readonly servers: Table<Server>;
  readonly serverGroups: Table<ServerGroup>;
  readonly keyPairs: Table<KeyPair>;
  readonly quotas: Table<Quota>;
  readonly networks: Table<Network>;
  readonly subnets: Table<Subnet>;
  readonly ports: Table<Port>;
  readonly routers: Table<Router>;
  readonly floatingIps: Table<FloatingIp>;
  readonly securityGroups: Table<SecurityGroup>;
  readonly securityGroupRules: Table<SecurityGroupRule>;
  readonly rbacPolicies: Table<RbacPolicy>;
  readonly loadBalancers: Table<LoadBalancer>;
  readonly listeners: Table<Listener>;
  readonly pools: Table<Pool>;
  readonly members: Table<Member>;
  readonly healthMonitors: Table<HealthMonitor>;
  readonly l7Policies: Table<L7Policy>;
  readonly l7Rules: Table<L7Rule>;
  readonly loadBalancerFlavors: Table<LoadBalancerFlavor>;
  readonly loadBalancerFlavorProfiles: Table<Profile>;
  readonly loadBalancerZones: Table<LoadBalancerZone>;
  readonly loadBalancerZoneProfiles: Table<Profile>;
  readonly volumes: Table<Volume>;
  readonly volumeTypes: Table<VolumeType>;
  readonly attachments: Table<Attachment>;
  readonly snapshots: Table<Snapshot>;
  readonly shares: Table<Share>;
  readonly accessRules: Table<AccessRule>;
  readonly shareSnapshots: Table<ShareSnapshot>;
  readonly shareTypes: Table<ShareType>;
  readonly shareMessages: Table<ShareMessage>;
  readonly keySecrets: Table<KeySecret>;
  readonly keyContainers: Table<KeyContainer>;
  readonly keyOrders: Table<KeyOrder>;
}

export function declareTables(database: Database): Tables {
  return {
    secrets: database.table('secrets'),
    projects: database.table('projects'),
    users: database.table('users'),
    assignments: database.table('assignments'),
    applicationCredentials: database.table('application_credentials'),
    userCredentials: database.table('user_credentials'),
    providerGrants: database.table('provider_grants'),
    trusts: database.table('trusts'),
    revocations: database.table('revocations'),
    servers: database.table('servers'),
    serverGroups: database.table('server_groups'),
    keyPairs: database.table('key_pairs'),
    quotas: database.table('quotas'),
    networks: database.table('networks'),
    subnets: database.table('subnets'),
    ports: database.table('ports'),
    routers: database.table('routers'),
    floatingIps: database.table('floating_ips'),
    securityGroups: database.table('security_groups'),
    securityGroupRules: database.table('security_group_rules'),
    rbacPolicies: database.table('rbac_policies'),
    loadBalancers: database.table('load_balancers'),
    listeners: database.table('listeners'),
    pools: database.table('pools'),
    members: database.table('members'),
    healthMonitors: database.table('health_monitors'),
    l7Policies: database.table('l7_policies'),
    l7Rules: database.table('l7_rules'),
    loadBalancerFlavors: database.table('load_balancer_flavors'),
    loadBalancerFlavorProfiles: database.table('load_balancer_flavor_profiles'),
    loadBalancerZones: database.table('load_balancer_zones'),
    loadBalancerZoneProfiles: database.table('load_balancer_zone_profiles'),
    volumes: database.table('volumes'),
    volumeTypes: database.table('volume_types'),
    attachments: database.table('volume_attachments'),
    snapshots: database.table('volume_snapshots'),
    shares: database.table('shares'),
    accessRules: database.table('share_access_rules'),
    shareSnapshots: database.table('share_snapshots'),
    shareTypes: database.table('share_types'),
    shareMessages: database.table('share_messages'),
    keySecrets: database.table('key_secrets'),
    keyContainers: database.table('key_containers'),
    keyOrders: database.table('key_orders'),
  };
}
