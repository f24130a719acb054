import { z } from 'zod';
import { list, record } from './collections.ts';
import type { L7PolicyFields, L7RuleFields } from './l7-policy.ts';

const Reference = z.object({ id: z.string() });

/** Fields of every object in a load balancer's tree. */
const treeAttributes = {
  id: z.string(),
  name: z.string().nullish(),
  project_id: z.string().default(''),
  /** ACTIVE, ERROR, DELETED or PENDING_*; nothing in the tree can be changed while it is pending. */
  provisioning_status: z.string(),
  operating_status: z.string().nullish(),
  admin_state_up: z.boolean().default(true),
  tags: list(z.string()).default([]),
  created_at: z.string().nullish(),
  /** Changes with every write, including those to children. */
  updated_at: z.string().nullish(),
};

export const LoadBalancer = z.object({
  ...treeAttributes,
  description: z.string().nullish(),
  vip_address: z.string(),
  vip_port_id: z.string().nullish(),
  vip_subnet_id: z.string().nullish(),
  vip_network_id: z.string().nullish(),
  /** Since API version 2.26; an entry without an address is ignored. */
  additional_vips: list(z.object({ subnet_id: z.string(), ip_address: z.string().nullish() })).nullish(),
  provider: z.string().nullish(),
  flavor_id: z.string().nullish(),
  availability_zone: z.string().nullish(),
  listeners: list(Reference).default([]),
  pools: list(Reference).default([]),
});
export type LoadBalancer = z.infer<typeof LoadBalancer>;

export const Listener = z.object({
  ...treeAttributes,
  loadbalancers: list(Reference).default([]),
  protocol: z.string(),
  protocol_port: z.number(),
  default_pool_id: z.string().nullish(),
  connection_limit: z.number().nullish(),
  insert_headers: record(z.string()).nullish(),
  timeout_client_data: z.number().nullish(),
  timeout_member_connect: z.number().nullish(),
  timeout_member_data: z.number().nullish(),
  timeout_tcp_inspect: z.number().nullish(),
  allowed_cidrs: list(z.string()).nullish(),
  default_tls_container_ref: z.string().nullish(),
  sni_container_refs: list(z.string()).readonly().nullish(),
});
export type Listener = z.infer<typeof Listener>;

export const SessionPersistence = z.object({
  type: z.string(),
  cookie_name: z.string().nullish(),
  persistence_timeout: z.number().nullish(),
});
export type SessionPersistence = z.infer<typeof SessionPersistence>;

export const Pool = z.object({
  ...treeAttributes,
  loadbalancers: list(Reference).default([]),
  /** The listener with this default pool. */
  listeners: list(Reference).default([]),
  members: list(Reference).default([]),
  healthmonitor_id: z.string().nullish(),
  protocol: z.string(),
  lb_algorithm: z.string(),
  session_persistence: SessionPersistence.nullish(),
});
export type Pool = z.infer<typeof Pool>;

export const Member = z.object({
  ...treeAttributes,
  address: z.string(),
  protocol_port: z.number(),
  subnet_id: z.string().nullish(),
  weight: z.number().nullish(),
  backup: z.boolean().nullish(),
  monitor_address: z.string().nullish(),
  monitor_port: z.number().nullish(),
});
export type Member = z.infer<typeof Member>;

export const HealthMonitor = z.object({
  ...treeAttributes,
  pools: list(Reference).default([]),
  type: z.string(),
  delay: z.number(),
  timeout: z.number(),
  max_retries: z.number(),
  max_retries_down: z.number().nullish(),
  http_method: z.string().nullish(),
  url_path: z.string().nullish(),
  expected_codes: z.string().nullish(),
});
export type HealthMonitor = z.infer<typeof HealthMonitor>;

export const LoadBalancerFlavor = z.object({ id: z.string(), name: z.string(), enabled: z.boolean().default(true) });
export type LoadBalancerFlavor = z.infer<typeof LoadBalancerFlavor>;

export interface MemberCreate {
  readonly name?: string;
  readonly address: string;
  readonly protocol_port: number;
  readonly subnet_id?: string;
  readonly weight?: number;
  readonly backup?: boolean;
  readonly monitor_address?: string;
  readonly monitor_port?: number;
}

export interface HealthMonitorFields {
  readonly name?: string;
  readonly type: string;
  /** Seconds. */
  readonly delay: number;
  /** Seconds; must not exceed the delay. */
  readonly timeout: number;
  readonly max_retries: number;
  readonly max_retries_down?: number;
  readonly http_method?: string;
  readonly url_path?: string;
  readonly expected_codes?: string;
  readonly tags?: readonly string[];
}

export interface PoolFields {
  readonly name: string;
  readonly protocol: string;
  readonly lb_algorithm: string;
  readonly session_persistence?: { readonly type: string } | null;
  readonly tags?: readonly string[];
}

export interface ListenerFields {
  readonly name?: string;
  readonly protocol: string;
  readonly protocol_port: number;
  readonly connection_limit?: number;
  readonly insert_headers?: Readonly<Record<string, string>>;
  /** Milliseconds, like the other timeouts. */
  readonly timeout_client_data?: number;
  readonly timeout_member_connect?: number;
  readonly timeout_member_data?: number;
  readonly timeout_tcp_inspect?: number;
  /** Empty to allow everyone. */
  readonly allowed_cidrs?: readonly string[];
  readonly default_tls_container_ref?: string;
  /** Octavia sorts them. */
  readonly sni_container_refs?: readonly string[];
  readonly tags?: readonly string[];
}

/** A pool with its whole subtree, for creating a whole load balancer. */
export interface PoolTree extends PoolFields {
  readonly members?: readonly MemberCreate[];
  readonly healthmonitor?: HealthMonitorFields;
}

/** A listener with its whole subtree, for creating a whole load balancer. */
export interface ListenerTree extends ListenerFields {
  readonly default_pool?: PoolTree;
}

/** A listener that shares pools with others: pools are defined next to it and referenced by name. */
export interface ListenerWithSharedPools extends ListenerFields {
  readonly default_pool?: { readonly name: string };
  readonly l7policies?: readonly L7PolicyTree[];
}

export type L7PolicyTree = L7PolicyFields & {
  readonly rules: readonly L7RuleFields[];
  /** A pool defined in the same request. */
  readonly redirect_pool?: { readonly name: string };
};

/** `POST /lbaas/loadbalancers`, fully populated: https://docs.openstack.org/api-ref/load-balancer/v2/#create-a-load-balancer */
export interface LoadBalancerCreate {
  readonly name: string;
  readonly description?: string;
  readonly vip_address?: string;
  readonly vip_subnet_id?: string;
  readonly vip_network_id?: string;
  readonly vip_port_id?: string;
  /** Addresses in other subnets of the VIP's network; since API version 2.26. They can't be changed later. */
  readonly additional_vips?: readonly { readonly subnet_id: string; readonly ip_address?: string }[];
  readonly provider?: string;
  readonly flavor_id?: string;
  readonly availability_zone?: string;
  readonly tags?: readonly string[];
  readonly listeners?: readonly (ListenerTree | ListenerWithSharedPools)[];
  /** Listeners and their policies refer to these. */
  readonly pools?: readonly PoolTree[];
}
