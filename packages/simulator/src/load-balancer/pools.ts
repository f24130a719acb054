import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireWrite } from './access.ts';
import { newReferences, requireCertificates } from './certificates.ts';
import { readRoutes } from './collection.ts';
import { childrenUnsupported } from './listeners.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { parse } from './parse.ts';
import { CreatePool, type PersistenceFields, type PoolChanges, type PoolFields, UpdatePool } from './pool-schema.ts';
import { checkPool, referencesOf } from './pool-validation.ts';
import { conflict, invalid } from './problem.ts';
import { requireCompatibleProtocols } from './protocols.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { LoadBalancer, Pool, SessionPersistence } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { TLS_DEFAULTS } from './tls.ts';
import { findListener, findLoadBalancer, findPool, listenersUsing } from './tree.ts';
import { viewPool } from './views.ts';

export function poolRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  return [
    ...readRoutes({
      singular: 'pool',
      plural: 'pools',
      noun: 'Pool',
      table: world.tables.pools,
      view: (row) => viewPool(world, row),
      filters: ['protocol', 'lb_algorithm', 'tls_enabled', 'loadbalancer_id', 'load_balancer_id'],
      extra: ({ load_balancer_id }) => ({ load_balancer_id, loadbalancer_id: load_balancer_id }),
    }),
    { method: 'POST', template: '/pools', handle: (request) => create(world, lifecycle, request) },
    { method: 'PUT', template: '/pools/{id}', handle: (request) => update(world, lifecycle, request) },
    { method: 'DELETE', template: '/pools/{id}', handle: (request) => remove(world, lifecycle, request) },
  ];
}

/** Validates and stores a new pool. */
export function makePool(world: World, loadBalancer: LoadBalancer, fields: PoolFields): Pool {
  const isTls = fields.tls_enabled === true;
  const pool: Pool = {
    ...newTreeObject(world, loadBalancer.project_id, fields),
    load_balancer_id: loadBalancer.id,
    name: fields.name ?? '',
    description: fields.description ?? '',
    protocol: fields.protocol,
    lb_algorithm: fields.lb_algorithm,
    session_persistence: persistenceOf(fields.session_persistence, null),
    tls_enabled: isTls,
    tls_container_ref: fields.tls_container_ref ?? null,
    ca_tls_container_ref: fields.ca_tls_container_ref ?? null,
    crl_container_ref: fields.crl_container_ref ?? null,
    tls_ciphers: fields.tls_ciphers ?? (isTls ? TLS_DEFAULTS.tls_ciphers : null),
    tls_versions: fields.tls_versions ?? (isTls ? TLS_DEFAULTS.tls_versions : null),
    alpn_protocols: fields.alpn_protocols ?? (isTls ? TLS_DEFAULTS.alpn_protocols : null),
  };
  checkPool(pool);
  requireCertificates(world, pool.project_id, referencesOf(pool));
  providerOf(world, loadBalancer).checkPool(pool);
  return world.tables.pools.put(pool);
}

function persistenceOf(
  fields: PersistenceFields | null | undefined,
  before: SessionPersistence | null,
): SessionPersistence | null {
  if (fields === undefined) return before;
  const type = fields?.type ?? before?.type;
  if (fields === null || type === undefined) return null;
  return {
    type,
    cookie_name: fields.cookie_name ?? null,
    persistence_timeout: fields.persistence_timeout ?? null,
    persistence_granularity: fields.persistence_granularity ?? null,
  };
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest): ApiResponse {
  const { pool: fields } = parse(CreatePool, body, 'pool_');
  const { loadbalancer_id, listener_id } = fields;
  if (loadbalancer_id == null && listener_id == null)
    throw invalid('Must provide at least one of: loadbalancer_id, listener_id');
  const listener = listener_id == null ? undefined : findListener(world, listener_id);
  const loadBalancer = findLoadBalancer(world, loadbalancer_id ?? listener?.load_balancer_id ?? '');
  requireWrite(access, loadBalancer.project_id);
  if (listener?.protocol === 'PROMETHEUS') throw childrenUnsupported();
  if (listener !== undefined) requireCompatibleProtocols(listener.protocol, fields.protocol);
  requireQuota(world, 'Pool', loadBalancer.project_id);
  if (listener !== undefined && listener.default_pool_id !== null)
    throw conflict('This listener already has a default pool');
  lock(world, lifecycle, loadBalancer.id);
  const pool = makePool(world, loadBalancer, fields);
  if (listener !== undefined)
    world.tables.listeners.put({ ...listener, default_pool_id: pool.id, provisioning_status: 'PENDING_UPDATE' });
  return created({ pool: viewPool(world, pool) });
}

function update(world: World, lifecycle: LoadBalancerLifecycle, { access, body, params }: ApiRequest): ApiResponse {
  const { pool: fields } = parse(UpdatePool, body, 'pool_');
  const before = findPool(world, params['id'] ?? '');
  requireWrite(access, before.project_id);
  const after = apply(before, fields);
  checkPool(after);
  requireCertificates(world, after.project_id, newReferences(referencesOf(after), referencesOf(before)));
  lock(world, lifecycle, before.load_balancer_id, { listeners: listenersUsing(world, before) });
  providerOf(world, findLoadBalancer(world, before.load_balancer_id)).checkPool(after);
  const pool = world.tables.pools.put({ ...after, provisioning_status: 'PENDING_UPDATE' });
  return ok({ pool: viewPool(world, pool) });
}

/** Null resets a field to its default. */
function apply(before: Pool, fields: PoolChanges): Pool {
  const { name, description, admin_state_up, tags, lb_algorithm, session_persistence, tls_enabled, ...rest } = fields;
  const { tls_versions, alpn_protocols, tls_ciphers, ...references } = rest;
  const or = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value);
  return changed(before, {
    ...references,
    name: or(name, ''),
    description: or(description, ''),
    admin_state_up: or(admin_state_up, false),
    tags: tags ?? undefined,
    lb_algorithm: lb_algorithm ?? undefined,
    session_persistence: persistenceOf(session_persistence, before.session_persistence),
    tls_enabled: or(tls_enabled, false),
    tls_ciphers: or(tls_ciphers, TLS_DEFAULTS.tls_ciphers),
    tls_versions: or<readonly string[] | null>(tls_versions, TLS_DEFAULTS.tls_versions),
    alpn_protocols: or<readonly string[] | null>(alpn_protocols, TLS_DEFAULTS.alpn_protocols),
  });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access, params }: ApiRequest): ApiResponse {
  const pool = findPool(world, params['id'] ?? '');
  requireWrite(access, pool.project_id);
  const policy = world.indexes.policiesByPool.of(pool.id)[0];
  if (policy !== undefined) throw conflict(`Pool ${pool.id} is in use by L7 policy ${policy.id}`);
  lock(world, lifecycle, pool.load_balancer_id, { listeners: listenersUsing(world, pool) });
  world.tables.pools.put({ ...pool, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
