import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireRead, requireWrite } from './access.ts';
import { newReferences, requireCertificates } from './certificates.ts';
import { readRoutes } from './collection.ts';
import { CreateListener, type ListenerChanges, type ListenerFields, UpdateListener } from './listener-schema.ts';
import { checkListener, referencesOf, requireFreePort } from './listener-validation.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { parse } from './parse.ts';
import { notFound } from './problem.ts';
import { requireCompatibleProtocols } from './protocols.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { Listener, LoadBalancer } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { ZERO_STATISTICS } from './statistics.ts';
import { TLS_DEFAULTS } from './tls.ts';
import { findListener, findLoadBalancer } from './tree.ts';
import { viewListener } from './views.ts';

export function listenerRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  return [
    ...readRoutes({
      singular: 'listener',
      plural: 'listeners',
      noun: 'Listener',
      table: world.tables.listeners,
      view: (row) => viewListener(world, row),
      filters: [
        'protocol',
        'protocol_port',
        'connection_limit',
        'default_pool_id',
        'loadbalancer_id',
        'load_balancer_id',
      ],
      extra: ({ load_balancer_id }) => ({ load_balancer_id, loadbalancer_id: load_balancer_id }),
    }),
    { method: 'POST', template: '/listeners', handle: (request) => create(world, lifecycle, request) },
    { method: 'PUT', template: '/listeners/{id}', handle: (request) => update(world, lifecycle, request) },
    { method: 'DELETE', template: '/listeners/{id}', handle: (request) => remove(world, lifecycle, request) },
    {
      method: 'GET',
      template: '/listeners/{id}/stats',
      handle: ({ access, params }) => {
        requireRead(access, findListener(world, params['id'] ?? '').project_id);
        return ok({ stats: ZERO_STATISTICS });
      },
    },
  ];
}

const DEFAULTS = {
  connection_limit: -1,
  timeout_client_data: 50_000,
  timeout_member_connect: 5000,
  timeout_member_data: 50_000,
  timeout_tcp_inspect: 0,
  client_authentication: 'NONE',
} as const;

/** Validates and stores a new listener; its pool, if any, must already exist. */
export function makeListener(world: World, loadBalancer: LoadBalancer, fields: ListenerFields): Listener {
  const isTlsTerminated = fields.protocol === 'TERMINATED_HTTPS';
  const listener: Listener = {
    ...newTreeObject(world, loadBalancer.project_id, fields),
    load_balancer_id: loadBalancer.id,
    name: fields.name ?? '',
    description: fields.description ?? '',
    protocol: fields.protocol,
    protocol_port: fields.protocol_port,
    connection_limit: fields.connection_limit ?? DEFAULTS.connection_limit,
    default_pool_id: fields.default_pool_id ?? null,
    insert_headers: fields.insert_headers ?? {},
    timeout_client_data: fields.timeout_client_data ?? DEFAULTS.timeout_client_data,
    timeout_member_connect: fields.timeout_member_connect ?? DEFAULTS.timeout_member_connect,
    timeout_member_data: fields.timeout_member_data ?? DEFAULTS.timeout_member_data,
    timeout_tcp_inspect: fields.timeout_tcp_inspect ?? DEFAULTS.timeout_tcp_inspect,
    allowed_cidrs: cidrsOf(fields.allowed_cidrs),
    default_tls_container_ref: fields.default_tls_container_ref ?? null,
    sni_container_refs: fields.sni_container_refs ?? [],
    client_ca_tls_container_ref: fields.client_ca_tls_container_ref ?? null,
    client_authentication: fields.client_authentication ?? DEFAULTS.client_authentication,
    client_crl_container_ref: fields.client_crl_container_ref ?? null,
    tls_ciphers: fields.tls_ciphers ?? (isTlsTerminated ? TLS_DEFAULTS.tls_ciphers : null),
    tls_versions: fields.tls_versions ?? (isTlsTerminated ? TLS_DEFAULTS.tls_versions : null),
    alpn_protocols: fields.alpn_protocols ?? (isTlsTerminated ? TLS_DEFAULTS.alpn_protocols : null),
  };
  if (listener.default_pool_id !== null) requirePool(world, listener, listener.default_pool_id);
  checkListener(world, listener, loadBalancer, 'create');
  requireCertificates(world, listener.project_id, referencesOf(listener));
  requireFreePort(world, loadBalancer, listener);
  providerOf(world, loadBalancer).checkListener(listener);
  return world.tables.listeners.put(listener);
}

/** Null and an empty list both mean that all sources are allowed. */
function cidrsOf(cidrs: readonly string[] | null | undefined): readonly string[] | null {
  return cidrs == null || cidrs.length === 0 ? null : [...new Set(cidrs)];
}

function requirePool(world: World, { load_balancer_id, protocol }: Listener, poolId: string): void {
  if (protocol === 'PROMETHEUS') throw childrenUnsupported();
  const pool = world.tables.pools.get(poolId);
  if (pool?.load_balancer_id !== load_balancer_id) throw notFound('Pool', poolId);
  requireCompatibleProtocols(protocol, pool.protocol);
}

export function childrenUnsupported(): ApiError {
  return new ApiError(400, 'Protocol PROMETHEUS listeners cannot have child objects.');
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest): ApiResponse {
  const { listener: fields } = parse(CreateListener, body, 'listener_');
  const loadBalancer = findLoadBalancer(world, fields.loadbalancer_id);
  requireWrite(access, loadBalancer.project_id);
  requireQuota(world, 'Listener', loadBalancer.project_id);
  lock(world, lifecycle, loadBalancer.id);
  const listener = makeListener(world, loadBalancer, fields);
  return created({ listener: viewListener(world, listener) });
}

function update(world: World, lifecycle: LoadBalancerLifecycle, { access, body, params }: ApiRequest): ApiResponse {
  const { listener: fields } = parse(UpdateListener, body, 'listener_');
  const before = findListener(world, params['id'] ?? '');
  const loadBalancer = findLoadBalancer(world, before.load_balancer_id);
  requireWrite(access, before.project_id);
  const after = apply(before, fields);
  checkListener(world, after, loadBalancer, 'update');
  requireCertificates(world, after.project_id, newReferences(referencesOf(after), referencesOf(before)));
  if (fields.default_pool_id != null) requirePool(world, after, fields.default_pool_id);
  lock(world, lifecycle, loadBalancer.id);
  providerOf(world, loadBalancer).checkListener(after);
  const listener = world.tables.listeners.put({ ...after, provisioning_status: 'PENDING_UPDATE' });
  return ok({ listener: viewListener(world, listener) });
}

/** Null resets a field to its default. */
function apply(before: Listener, fields: ListenerChanges): Listener {
  const { admin_state_up, allowed_cidrs, name, description, insert_headers, sni_container_refs, tags, ...rest } =
    fields;
  const { connection_limit, timeout_client_data, timeout_member_connect, timeout_member_data } = rest;
  const { timeout_tcp_inspect, client_authentication, tls_versions, alpn_protocols, tls_ciphers, ...others } = rest;
  const or = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value);
  return changed(before, {
    ...others,
    name: or(name, ''),
    description: or(description, ''),
    admin_state_up: or(admin_state_up, false),
    tags: tags ?? undefined,
    insert_headers: or(insert_headers, {}),
    sni_container_refs: or(sni_container_refs, []),
    allowed_cidrs: allowed_cidrs === undefined ? undefined : cidrsOf(allowed_cidrs),
    connection_limit: or(connection_limit, DEFAULTS.connection_limit),
    timeout_client_data: or(timeout_client_data, DEFAULTS.timeout_client_data),
    timeout_member_connect: or(timeout_member_connect, DEFAULTS.timeout_member_connect),
    timeout_member_data: or(timeout_member_data, DEFAULTS.timeout_member_data),
    timeout_tcp_inspect: or(timeout_tcp_inspect, DEFAULTS.timeout_tcp_inspect),
    client_authentication: or(client_authentication, DEFAULTS.client_authentication),
    tls_ciphers: or(tls_ciphers, TLS_DEFAULTS.tls_ciphers),
    tls_versions: or<readonly string[] | null>(tls_versions, TLS_DEFAULTS.tls_versions),
    alpn_protocols: or<readonly string[] | null>(alpn_protocols, TLS_DEFAULTS.alpn_protocols),
  });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access, params }: ApiRequest): ApiResponse {
  const listener = findListener(world, params['id'] ?? '');
  requireWrite(access, listener.project_id);
  lock(world, lifecycle, listener.load_balancer_id);
  world.tables.listeners.put({ ...listener, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
