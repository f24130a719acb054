import { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { conflict, notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { Server } from './records.ts';
import { createServers } from './server-create.ts';
import type { ServerLifecycle } from './server-lifecycle.ts';
import { listServers } from './server-list.ts';
import { portsOf } from './server-networks.ts';
import { addressesOf, detailView } from './server-view.ts';

/** The server; throws 404 if it does not exist for the caller. */
export function findServer(world: World, { access, params }: ApiRequest): Server {
  const id = params['id'] ?? '';
  const server = world.tables.servers.get(id);
  if (server === undefined || server.deletedMs !== null || !canSee(access, server.projectId)) {
    throw notFound(`Instance ${id} could not be found.`);
  }
  return server;
}

/** The server to be changed. Also checks that the caller may write and that the server is not locked. */
export function findForChange(world: World, request: ApiRequest, rule: string): Server {
  const server = findServer(world, request);
  requireWriterRole(request.access, rule);
  return server;
}

export function refuseLocked({ access }: ApiRequest, server: Server): void {
  if (server.locked && !isAdmin(access)) throw conflict(`Instance ${server.id} is locked`);
}

const UpdateServer = z.strictObject({
  server: z.strictObject({
    name: z.string().min(1).max(255).optional(),
    description: z.string().max(255).nullish(),
    hostname: z.string().min(1).max(63).optional(),
    accessIPv4: z.string().optional(),
    accessIPv6: z.string().optional(),
    'OS-DCF:diskConfig': z.enum(['AUTO', 'MANUAL']).optional(),
  }),
});

export function serverRoutes(world: World, lifecycle: ServerLifecycle): Route[] {
  return [
    { method: 'GET', template: '/v2.1/servers', handle: (request) => listServers(world, request, false) },
    { method: 'GET', template: '/v2.1/servers/detail', handle: (request) => listServers(world, request, true) },
    { method: 'POST', template: '/v2.1/servers', handle: (request) => createServers(world, lifecycle, request) },
    { method: 'GET', template: '/v2.1/servers/{id}', handle: (request) => show(world, request) },
    { method: 'PUT', template: '/v2.1/servers/{id}', handle: (request) => update(world, request) },
    { method: 'DELETE', template: '/v2.1/servers/{id}', handle: (request) => remove(world, lifecycle, request) },
    {
      method: 'GET',
      template: '/v2.1/servers/{id}/ips',
      handle: (request) => {
        const addresses = addressesOf(world, portsOf(world, findServer(world, request).id));
        return ok({
          addresses: Object.fromEntries(Object.entries(addresses).map(([name, list]) => [name, plain(list)])),
        });
      },
    },
  ];
}

function plain(list: readonly object[]): object[] {
  return list.map((item) => {
    const { version, addr } = item as { readonly version: number; readonly addr: string };
    return { version, addr };
  });
}

function show(world: World, request: ApiRequest): ApiResponse {
  requireReaderRole(request.access, 'servers:show');
  return ok({ server: detailView(world, request, findServer(world, request), true) });
}

function update(world: World, request: ApiRequest): ApiResponse {
  const before = findForChange(world, request, 'servers:update');
  const { server: body } = parseBody(UpdateServer, request.body);
  const server = world.tables.servers.put({
    ...before,
    name: body.name ?? before.name,
    description: body.description === undefined ? before.description : body.description,
    hostname: body.hostname ?? before.hostname,
    accessIPv4: body.accessIPv4 ?? before.accessIPv4 ?? '',
    accessIPv6: body.accessIPv6 ?? before.accessIPv6 ?? '',
    updatedMs: world.clock.now(),
  });
  return ok({ server: detailView(world, request, server, true) });
}

function remove(world: World, lifecycle: ServerLifecycle, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'servers:delete');
  refuseLocked(request, server);
  // A server that has never run is deleted immediately.
  if (world.config.reclaimInstanceIntervalMs === undefined || server.launchedMs === null)
    startDeletion(lifecycle, server);
  else if (!isDeleting(server)) lifecycle.begin({ ...server, taskState: 'soft-deleting' }, 'soft-delete');
  return noContent;
}

function isDeleting({ vmState, taskState }: Server): boolean {
  return vmState === 'soft-delete' || taskState === 'soft-deleting' || taskState === 'deleting';
}

/** Does nothing if the server is already being deleted. */
export function startDeletion(lifecycle: ServerLifecycle, server: Server): void {
  if (server.taskState !== 'deleting') lifecycle.begin({ ...server, taskState: 'deleting' }, 'delete');
}
