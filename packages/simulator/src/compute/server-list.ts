import type { ApiRequest, ApiResponse } from '../http/api.ts';
import { ok } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import { parseTime } from '../identity/time.ts';
import type { World } from '../world.ts';
import { flavorOf } from './find-flavor.ts';
import { badRequest, forbidden, requireReaderRole } from './problem.ts';
import type { Server } from './records.ts';
import { zoneOfHost } from './scheduler.ts';
import { portsOf } from './server-networks.ts';
import { isTrue } from './server-schema.ts';
import { KNOWN_STATUSES, powerStateOf, statusOf } from './server-status.ts';
import { basicView, detailView } from './server-view.ts';

const MAX_LIMIT = 1000;

export function listServers(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  const { access, query } = request;
  requireReaderRole(access, isDetail ? 'servers:detail' : 'servers:index');
  const allTenants = isTrue(query.get('all_tenants')) || query.get('all_tenants') === '';
  if (allTenants && !isAdmin(access)) {
    throw forbidden(
      `Policy doesn't allow os_compute_api:servers:${isDetail ? 'detail' : 'index'}:get_all_tenants to be performed.`,
    );
  }
  const project = allTenants ? (query.get('project_id') ?? query.get('tenant_id')) : access.projectId;
  const test = filterOf(world, request);
  const found = world.tables.servers.where(
    (server) => (project === null || server.projectId === project) && test(server),
  );
  const sorted = sortServers(request, found);
  const limit = readLimit(query.get('limit'));
  const marker = query.get('marker');
  const at = marker === null ? -1 : sorted.findIndex((server) => server.id === marker);
  if (marker !== null && at === -1) throw badRequest(`marker [${marker}] not found`);
  const page = sorted.slice(at + 1, at + 1 + limit);
  const views = page.map((server) =>
    isDetail ? detailView(world, request, server, false) : basicView(request, server),
  );
  const hasNext = page.length > 0 && at + 1 + limit < sorted.length;
  return ok({ servers: views, ...(hasNext ? { servers_links: [nextLink(request, page.at(-1)?.id ?? '')] } : {}) });
}

function nextLink(request: ApiRequest, marker: string): object {
  const parameters = new URLSearchParams(request.query);
  parameters.set('marker', marker);
  return { rel: 'next', href: `${request.origin}${request.path}?${parameters.toString()}` };
}

export function readLimit(text: string | null): number {
  if (text === null) return MAX_LIMIT;
  if (!/^\d+$/.test(text))
    throw badRequest(`Invalid input for query parameters limit. Value: ${text}. '${text}' does not match '^[0-9]*$'`);
  return Number(text) === 0 ? MAX_LIMIT : Math.min(Number(text), MAX_LIMIT);
}

type ServerPredicate = (server: Server) => boolean;

function filterOf(world: World, { query, microversion, access }: ApiRequest): ServerPredicate {
  const tests: ServerPredicate[] = [];
  const on = (name: string, make: (value: string) => ServerPredicate): void => {
    const value = query.get(name);
    if (value !== null) tests.push(make(value));
  };
  const changedSince = query.get('changes-since');
  const wantsDeleted = isAdmin(access) && isTrue(query.get('deleted'));
  const statuses = query.getAll('status').map((status) => status.toUpperCase());
  if (statuses.some((status) => !KNOWN_STATUSES.has(status))) {
    if (microversion >= 38) throw badRequest('Invalid status value');
    return () => false;
  }
  if (statuses.includes('DELETED') && !isAdmin(access))
    throw forbidden('Only administrators may list deleted instances');
  tests.push(
    (server) => server.deletedMs === null || changedSince !== null || wantsDeleted || statuses.includes('DELETED'),
  );
  // A list with deleted servers includes those that can still be restored.
  tests.push((server) => server.vmState !== 'soft-delete' || changedSince !== null || wantsDeleted);
  if (statuses.length > 0) tests.push((server) => statuses.includes(statusOf(server)));
  on('changes-since', (value) => {
    const sinceMs = parseTime(value);
    if (sinceMs === undefined)
      throw badRequest(
        `Invalid input for query parameters changes-since. Value: ${value}. '${value}' is not a 'date-time'`,
      );
    return (server) => server.updatedMs >= sinceMs;
  });
  if (microversion >= 66) {
    on('changes-before', (value) => {
      const beforeMs = parseTime(value);
      if (beforeMs === undefined)
        throw badRequest(
          `Invalid input for query parameters changes-before. Value: ${value}. '${value}' is not a 'date-time'`,
        );
      return (server) => server.updatedMs <= beforeMs;
    });
  }
  on('name', (value) => patternPredicate(value, (server) => [server.name]));
  on('ip', (value) => patternPredicate(value, (server) => addresses(world, server, false)));
  if (microversion >= 5 || isAdmin(access))
    on('ip6', (value) => patternPredicate(value, (server) => addresses(world, server, true)));
  on('uuid', (value) => (server) => server.id === value);
  on('flavor', (value) => (server) => server.flavorId === value || flavorOf(world, server.flavorId).name === value);
  on('image', (value) => (server) => server.imageId === value);
  on('reservation_id', (value) => (server) => server.reservationId === value);
  if (microversion >= 26) {
    on('tags', (value) => tagPredicate(value, (tags, expected) => expected.every((tag) => tags.includes(tag))));
    on('tags-any', (value) => tagPredicate(value, (tags, expected) => expected.some((tag) => tags.includes(tag))));
    on('not-tags', (value) => tagPredicate(value, (tags, expected) => !expected.every((tag) => tags.includes(tag))));
    on('not-tags-any', (value) => tagPredicate(value, (tags, expected) => !expected.some((tag) => tags.includes(tag))));
  }
  if (microversion >= 73) on('locked', (value) => (server) => server.locked === isTrue(value));
  if (isAdmin(access) || microversion >= 83) {
    on(
      'availability_zone',
      (value) => (server) => (zoneOfHost(world, server.host ?? '') ?? server.wantedZone) === value,
    );
    on('key_name', (value) => (server) => server.keyName === value);
    on('vm_state', (value) => (server) => server.vmState === value);
    on('task_state', (value) => (server) => server.taskState === value);
    on('power_state', (value) => (server) => powerStateOf(server) === Number(value));
    on('user_id', (value) => (server) => server.userId === value);
  }
  if (isAdmin(access)) on('host', (value) => (server) => server.host === value);
  return (server) => tests.every((test) => test(server));
}

/** Matches regular expressions anywhere in names and addresses, as Nova does. */
function patternPredicate(pattern: string, textsOf: (server: Server) => readonly string[]): ServerPredicate {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern);
  } catch {
    throw badRequest(`Invalid input for query parameters name. Value: ${pattern}. '${pattern}' is not a 'regex'`);
  }
  return (server) => textsOf(server).some((text) => expression.test(text));
}

function tagPredicate(
  value: string,
  test: (tags: readonly string[], expected: readonly string[]) => boolean,
): ServerPredicate {
  const expected = value.split(',');
  return (server) => test(server.tags, expected);
}

function addresses(world: World, server: Server, isV6: boolean): string[] {
  return portsOf(world, server.id)
    .flatMap((port) => port.fixed_ips.map((ip) => ip.ip_address))
    .filter((address) => address.includes(':') === isV6);
}

const SORT_KEYS: Readonly<Record<string, (server: Server) => number | string>> = {
  created_at: (server) => server.createdMs,
  updated_at: (server) => server.updatedMs,
  display_name: (server) => server.name,
  uuid: (server) => server.id,
  vm_state: (server) => server.vmState,
  task_state: (server) => server.taskState ?? '',
  launched_at: (server) => server.launchedMs ?? 0,
};

/** Newest first by default, as in Nova. */
function sortServers({ query }: ApiRequest, servers: readonly Server[]): Server[] {
  const keys = query.getAll('sort_key');
  const directions = query.getAll('sort_dir');
  if (keys.length === 0)
    return servers
      .map((server, i) => ({ server, i }))
      .sort((a, b) => b.server.createdMs - a.server.createdMs || b.i - a.i)
      .map(({ server }) => server);
  const getters = keys.map((key) => {
    const getter = SORT_KEYS[key];
    if (getter === undefined) throw badRequest(`Invalid input for query parameters sort_key. Value: ${key}.`);
    return getter;
  });
  return [...servers].sort((a, b) => {
    for (const [i, getter] of getters.entries()) {
      const [left, right] = [getter(a), getter(b)];
      if (left === right) continue;
      return (left < right ? -1 : 1) * (directions[i] === 'asc' ? 1 : -1);
    }
    return 0;
  });
}
