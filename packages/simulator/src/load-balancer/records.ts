/*
 * Octavia's objects keep their wire names, because Octavia filters and sorts by most of them.
 */

export type ProvisioningStatus = 'PENDING_CREATE' | 'PENDING_UPDATE' | 'PENDING_DELETE' | 'ACTIVE' | 'ERROR';
export type OperatingStatus = 'ONLINE' | 'OFFLINE' | 'DEGRADED' | 'ERROR' | 'DRAINING' | 'NO_MONITOR';

export type ListenerProtocol = 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'HTTPS' | 'TERMINATED_HTTPS' | 'PROMETHEUS';
export type PoolProtocol = 'TCP' | 'UDP' | 'SCTP' | 'HTTP' | 'HTTPS' | 'PROXY' | 'PROXYV2';
export type Algorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTIONS' | 'SOURCE_IP' | 'SOURCE_IP_PORT';
export type ProviderName = 'amphora' | 'ovn';

/** Common fields of all objects in a load balancer's tree. */
export interface TreeObject {
  readonly id: string;
  readonly project_id: string;
  readonly provisioning_status: ProvisioningStatus;
  /** The status that the provider last reported; the health of members is looked up when the object is read. */
  readonly operating_status: OperatingStatus;
  readonly admin_state_up: boolean;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string | null;
}

export type PendingStep = 'create' | 'update' | 'delete' | 'failover';

/** The provider's pending work on a load balancer, at most one operation at a time. */
export interface PendingWork {
  readonly step: PendingStep;
  readonly dueMs: number;
}

export interface AdditionalVip {
  readonly subnet_id: string;
  /** Null if the provider did not create a port. */
  readonly ip_address: string | null;
}

export interface LoadBalancer extends TreeObject {
  readonly name: string;
  readonly description: string;
  readonly vip_address: string;
  readonly vip_port_id: string;
  readonly vip_subnet_id: string;
  readonly vip_network_id: string;
  readonly vip_qos_policy_id: null;
  readonly additional_vips: readonly AdditionalVip[];
  readonly provider: ProviderName;
  readonly flavor_id: string | null;
  readonly availability_zone: string | null;
  /** Whether Octavia created the VIP's port, and deletes it. */
  readonly ownsVipPort: boolean;
  /** The security group of an amphora's VIP, once it exists. */
  readonly securityGroupId: string | null;
  readonly pending: PendingWork | null;
}

export interface Listener extends TreeObject {
  readonly load_balancer_id: string;
  readonly name: string;
  readonly description: string;
  readonly protocol: ListenerProtocol;
  readonly protocol_port: number;
  readonly connection_limit: number;
  readonly default_pool_id: string | null;
  readonly insert_headers: Readonly<Record<string, string>>;
  readonly timeout_client_data: number;
  readonly timeout_member_connect: number;
  readonly timeout_member_data: number;
  readonly timeout_tcp_inspect: number;
  readonly allowed_cidrs: readonly string[] | null;
  readonly default_tls_container_ref: string | null;
  readonly sni_container_refs: readonly string[];
  readonly client_ca_tls_container_ref: string | null;
  readonly client_authentication: 'NONE' | 'OPTIONAL' | 'MANDATORY';
  readonly client_crl_container_ref: string | null;
  readonly tls_ciphers: string | null;
  readonly tls_versions: readonly string[] | null;
  readonly alpn_protocols: readonly string[] | null;
}

export interface SessionPersistence {
  readonly type: 'SOURCE_IP' | 'HTTP_COOKIE' | 'APP_COOKIE';
  readonly cookie_name: string | null;
  readonly persistence_timeout: number | null;
  readonly persistence_granularity: string | null;
}

export interface Pool extends TreeObject {
  readonly load_balancer_id: string;
  readonly name: string;
  readonly description: string;
  readonly protocol: PoolProtocol;
  readonly lb_algorithm: Algorithm;
  readonly session_persistence: SessionPersistence | null;
  readonly tls_enabled: boolean;
  readonly tls_container_ref: string | null;
  readonly ca_tls_container_ref: string | null;
  readonly crl_container_ref: string | null;
  readonly tls_ciphers: string | null;
  readonly tls_versions: readonly string[] | null;
  readonly alpn_protocols: readonly string[] | null;
}

export interface Member extends TreeObject {
  readonly pool_id: string;
  readonly name: string;
  readonly address: string;
  readonly protocol_port: number;
  readonly weight: number;
  readonly backup: boolean;
  readonly subnet_id: string | null;
  readonly monitor_address: string | null;
  readonly monitor_port: number | null;
}

export type MonitorType = 'HTTP' | 'HTTPS' | 'PING' | 'SCTP' | 'TCP' | 'TLS-HELLO' | 'UDP-CONNECT';

export interface HealthMonitor extends TreeObject {
  readonly pool_id: string;
  readonly name: string;
  readonly type: MonitorType;
  readonly delay: number;
  readonly timeout: number;
  readonly max_retries: number;
  readonly max_retries_down: number;
  readonly http_method: string | null;
  readonly url_path: string | null;
  readonly expected_codes: string | null;
  readonly http_version: number | null;
  readonly domain_name: string | null;
}

export type L7Action = 'REJECT' | 'REDIRECT_TO_URL' | 'REDIRECT_TO_POOL' | 'REDIRECT_PREFIX';

export interface L7Policy extends TreeObject {
  readonly listener_id: string;
  readonly name: string;
  readonly description: string;
  readonly action: L7Action;
  readonly redirect_pool_id: string | null;
  readonly redirect_url: string | null;
  readonly redirect_prefix: string | null;
  readonly redirect_http_code: number | null;
  /** Counted from 1; the policies of a listener are numbered without gaps. */
  readonly position: number;
}

export interface L7Rule extends TreeObject {
  readonly l7policy_id: string;
  readonly type: string;
  readonly compare_type: string;
  readonly key: string | null;
  readonly value: string;
  readonly invert: boolean;
}

/** A profile with the provider's settings for a flavor or availability zone; `data` is JSON text. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly provider_name: ProviderName;
  readonly data: string;
}

export interface LoadBalancerFlavor {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly flavor_profile_id: string;
}

/** An availability zone, whose name is its ID. */
export interface LoadBalancerZone {
  readonly id: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly availability_zone_profile_id: string;
}
