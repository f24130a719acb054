import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireWrite } from './access.ts';
import { readRoutes } from './collection.ts';
import type { LoadBalancerLife } from './life.ts';
import { lock } from './lock.ts';
import { checkDomainName, checkType, refuseHttpFields, speaksHttp } from './monitor-rules.ts';
import { CreateMonitor, type MonitorChanges, type MonitorFields, UpdateMonitor } from './monitor-schema.ts';
import { parse } from './parse.ts';
import { conflict, invalidOption } from './problem.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { HealthMonitor, Pool } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { findLoadBalancer, findMonitor, findPool, listenersUsing, monitorOf } from './tree.ts';
import { viewMonitor } from './views.ts';

export function monitorRoutes(world: World, life: LoadBalancerLife): Route[] {
  return [
    ...readRoutes({
      singular: 'healthmonitor',
      plural: 'healthmonitors',
      noun: 'Health Monitor',
      table: world.tables.healthMonitors,
      view: viewMonitor,
      filters: [
        'type',
        'delay',
        'timeout',
        'max_retries',
        'max_retries_down',
        'http_method',
        'url_path',
        'expected_codes',
        'pool_id',
      ],
      extra: ({ pool_id }) => ({ pool_id }),
    }),
    { method: 'POST', template: '/healthmonitors', handle: (request) => create(world, life, request) },
    { method: 'PUT', template: '/healthmonitors/{id}', handle: (request) => update(world, life, request) },
    { method: 'DELETE', template: '/healthmonitors/{id}', handle: (request) => remove(world, life, request) },
  ];
}

const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' } as const;

/** Validates and stores a new monitor. */
export function makeMonitor(world: World, pool: Pool, given: MonitorFields): HealthMonitor {
  if (monitorOf(world, pool) !== undefined) throw conflict('This pool already has a health monitor');
  refuseHttpFields(given.type, given);
  const http = speaksHttp(given.type) ? HTTP_DEFAULTS : undefined;
  const monitor: HealthMonitor = {
    ...newTreeObject(world, pool.project_id, given),
    pool_id: pool.id,
    name: given.name ?? '',
    type: given.type,
    delay: given.delay,
    timeout: given.timeout,
    max_retries: given.max_retries,
    max_retries_down: given.max_retries_down ?? 3,
    http_method: given.http_method ?? http?.http_method ?? null,
    url_path: given.url_path ?? http?.url_path ?? null,
    expected_codes: given.expected_codes ?? http?.expected_codes ?? null,
    http_version: given.http_version ?? null,
    domain_name: given.domain_name ?? null,
  };
  checkDomainName(monitor);
  checkType(monitor, pool);
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMonitor(monitor);
  return world.tables.healthMonitors.put(monitor);
}

function lockPool(world: World, life: LoadBalancerLife, pool: Pool): void {
  lock(world, life, pool.load_balancer_id, { pool, listeners: listenersUsing(world, pool) });
}

function create(world: World, life: LoadBalancerLife, { access, body }: ApiRequest): ApiResponse {
  const { healthmonitor: given } = parse(CreateMonitor, body, 'health_monitor_');
  const pool = findPool(world, given.pool_id);
  requireWrite(access, pool.project_id);
  checkType(given, pool);
  requireQuota(world, 'Health Monitor', pool.project_id);
  lockPool(world, life, pool);
  return created({ healthmonitor: viewMonitor(makeMonitor(world, pool, given)) });
}

function update(world: World, life: LoadBalancerLife, { access, body, params }: ApiRequest): ApiResponse {
  const { healthmonitor: given } = parse(UpdateMonitor, body, 'health_monitor_');
  const before = findMonitor(world, params['id'] ?? '');
  const pool = findPool(world, before.pool_id);
  requireWrite(access, before.project_id);
  refuseHttpFields(before.type, given);
  for (const name of ['delay', 'max_retries', 'timeout'] as const)
    if (given[name] === null) throw invalidOption('None', name);
  const after = apply(before, given);
  checkDomainName(after);
  checkType(after, pool);
  lockPool(world, life, pool);
  return ok({ healthmonitor: viewMonitor(world.tables.healthMonitors.put(after)) });
}

/** Null resets a field to its default. */
function apply(before: HealthMonitor, given: MonitorChanges): HealthMonitor {
  const or = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value);
  return changed(before, {
    name: or(given.name, ''),
    admin_state_up: or(given.admin_state_up, false),
    tags: given.tags ?? undefined,
    delay: given.delay ?? undefined,
    timeout: given.timeout ?? undefined,
    max_retries: given.max_retries ?? undefined,
    max_retries_down: or(given.max_retries_down, 3),
    http_method: or(given.http_method, HTTP_DEFAULTS.http_method),
    url_path: or(given.url_path, HTTP_DEFAULTS.url_path),
    expected_codes: or(given.expected_codes, HTTP_DEFAULTS.expected_codes),
    http_version: given.http_version,
    domain_name: given.domain_name,
    provisioning_status: 'PENDING_UPDATE',
  });
}

function remove(world: World, life: LoadBalancerLife, { access, params }: ApiRequest): ApiResponse {
  const monitor = findMonitor(world, params['id'] ?? '');
  requireWrite(access, monitor.project_id);
  lockPool(world, life, findPool(world, monitor.pool_id));
  world.tables.healthMonitors.put({ ...monitor, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
