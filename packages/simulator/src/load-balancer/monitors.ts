import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireWrite } from './access.ts';
import { readRoutes } from './collection.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { CreateMonitor, type MonitorChanges, type MonitorFields, UpdateMonitor } from './monitor-schema.ts';
import { checkDomainName, checkType, refuseHttpFields, usesHttp } from './monitor-validation.ts';
import { parse } from './parse.ts';
import { conflict, invalidOption } from './problem.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { HealthMonitor, Pool } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { findLoadBalancer, findMonitor, findPool, listenersUsing, monitorOf } from './tree.ts';
import { viewMonitor } from './views.ts';

export function monitorRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
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
    { method: 'POST', template: '/healthmonitors', handle: (request) => create(world, lifecycle, request) },
    { method: 'PUT', template: '/healthmonitors/{id}', handle: (request) => update(world, lifecycle, request) },
    { method: 'DELETE', template: '/healthmonitors/{id}', handle: (request) => remove(world, lifecycle, request) },
  ];
}

const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' } as const;

/** Validates and stores a new monitor. */
export function makeMonitor(world: World, pool: Pool, fields: MonitorFields): HealthMonitor {
  if (monitorOf(world, pool) !== undefined) throw conflict('This pool already has a health monitor');
  refuseHttpFields(fields.type, fields);
  const http = usesHttp(fields.type) ? HTTP_DEFAULTS : undefined;
  const monitor: HealthMonitor = {
    ...newTreeObject(world, pool.project_id, fields),
    pool_id: pool.id,
    name: fields.name ?? '',
    type: fields.type,
    delay: fields.delay,
    timeout: fields.timeout,
    max_retries: fields.max_retries,
    max_retries_down: fields.max_retries_down ?? 3,
    http_method: fields.http_method ?? http?.http_method ?? null,
    url_path: fields.url_path ?? http?.url_path ?? null,
    expected_codes: fields.expected_codes ?? http?.expected_codes ?? null,
    http_version: fields.http_version ?? null,
    domain_name: fields.domain_name ?? null,
  };
  checkDomainName(monitor);
  checkType(monitor, pool);
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMonitor(monitor);
  return world.tables.healthMonitors.put(monitor);
}

function lockPool(world: World, lifecycle: LoadBalancerLifecycle, pool: Pool): void {
  lock(world, lifecycle, pool.load_balancer_id, { pool, listeners: listenersUsing(world, pool) });
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest): ApiResponse {
  const { healthmonitor: fields } = parse(CreateMonitor, body, 'health_monitor_');
  const pool = findPool(world, fields.pool_id);
  requireWrite(access, pool.project_id);
  checkType(fields, pool);
  requireQuota(world, 'Health Monitor', pool.project_id);
  lockPool(world, lifecycle, pool);
  return created({ healthmonitor: viewMonitor(makeMonitor(world, pool, fields)) });
}

function update(world: World, lifecycle: LoadBalancerLifecycle, { access, body, params }: ApiRequest): ApiResponse {
  const { healthmonitor: fields } = parse(UpdateMonitor, body, 'health_monitor_');
  const before = findMonitor(world, params['id'] ?? '');
  const pool = findPool(world, before.pool_id);
  requireWrite(access, before.project_id);
  refuseHttpFields(before.type, fields);
  for (const name of ['delay', 'max_retries', 'timeout'] as const)
    if (fields[name] === null) throw invalidOption('None', name);
  const after = apply(before, fields);
  checkDomainName(after);
  checkType(after, pool);
  lockPool(world, lifecycle, pool);
  return ok({ healthmonitor: viewMonitor(world.tables.healthMonitors.put(after)) });
}

/** Null resets a field to its default. */
function apply(before: HealthMonitor, fields: MonitorChanges): HealthMonitor {
  const or = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value);
  return changed(before, {
    name: or(fields.name, ''),
    admin_state_up: or(fields.admin_state_up, false),
    tags: fields.tags ?? undefined,
    delay: fields.delay ?? undefined,
    timeout: fields.timeout ?? undefined,
    max_retries: fields.max_retries ?? undefined,
    max_retries_down: or(fields.max_retries_down, 3),
    http_method: or(fields.http_method, HTTP_DEFAULTS.http_method),
    url_path: or(fields.url_path, HTTP_DEFAULTS.url_path),
    expected_codes: or(fields.expected_codes, HTTP_DEFAULTS.expected_codes),
    http_version: fields.http_version,
    domain_name: fields.domain_name,
    provisioning_status: 'PENDING_UPDATE',
  });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access, params }: ApiRequest): ApiResponse {
  const monitor = findMonitor(world, params['id'] ?? '');
  requireWrite(access, monitor.project_id);
  lockPool(world, lifecycle, findPool(world, monitor.pool_id));
  world.tables.healthMonitors.put({ ...monitor, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
