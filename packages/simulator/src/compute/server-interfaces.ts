import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { patchPort } from '../network/port-lifecycle.ts';
import type { Port } from '../network/records.ts';
import type { World } from '../world.ts';
import { badRequest, conflict, notFound, requireReaderRole } from './problem.ts';
import type { Server } from './records.ts';
import { attachPort, onlyNetwork, portsOf, releasePort, validateNetworks } from './server-networks.ts';
import { findForChange, findServer } from './server-routes.ts';

const Attachment = z.strictObject({
  interfaceAttachment: z.strictObject({
    net_id: z.string().optional(),
    port_id: z.string().optional(),
    fixed_ips: z
      .array(z.strictObject({ ip_address: z.string() }))
      .max(1)
      .optional(),
    tag: z.string().optional(),
  }),
});

/** os-interface: the ports of a running server. Includes the read-only list of the server's security groups. */
export function serverInterfaceRoutes(world: World): Route[] {
  const template = '/v2.1/servers/{id}/os-interface';
  return [
    { method: 'GET', template, handle: (request) => list(world, request) },
    { method: 'POST', template, handle: (request) => attach(world, request) },
    { method: 'GET', template: `${template}/{port}`, handle: (request) => show(world, request) },
    { method: 'DELETE', template: `${template}/{port}`, handle: (request) => detach(world, request) },
    {
      method: 'GET',
      template: '/v2.1/servers/{id}/os-security-groups',
      handle: (request) => ok({ security_groups: groupsOf(world, findServer(world, request)) }),
    },
  ];
}

function view(port: Port): object {
  return {
    port_id: port.id,
    net_id: port.network_id,
    mac_addr: port.mac_address,
    port_state: port.status,
    fixed_ips: port.fixed_ips,
  };
}

function list(world: World, request: ApiRequest): ApiResponse {
  requireReaderRole(request.access, 'os-attach-interfaces:list');
  return ok({ interfaceAttachments: portsOf(world, findServer(world, request).id).map(view) });
}

function findPort(world: World, server: Server, id: string): Port {
  const port = portsOf(world, server.id).find((candidate) => candidate.id === id);
  if (port === undefined) throw notFound(`Instance ${server.id} does not have a port with id ${id}`);
  return port;
}

function show(world: World, request: ApiRequest): ApiResponse {
  return ok({ interfaceAttachment: view(findPort(world, findServer(world, request), request.params['port'] ?? '')) });
}

function attach(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-attach-interfaces:create');
  const { interfaceAttachment: body } = parseBody(Attachment, request.body);
  if (!['active', 'stopped', 'paused'].includes(server.vmState) || server.taskState !== null) {
    throw conflict(`Cannot 'attach_interface' instance ${server.id} while it is in vm_state ${server.vmState}`);
  }
  if (body.net_id !== undefined && body.port_id !== undefined)
    throw badRequest('Must not input both network_id and port_id');
  const access = { ...request.access, projectId: server.projectId };
  const fixedIp = body.fixed_ips?.[0]?.ip_address;
  if (fixedIp !== undefined && body.net_id === undefined)
    throw badRequest('Must input network_id when request IP address');
  const [requested] =
    body.port_id !== undefined
      ? [{ portId: body.port_id }]
      : body.net_id !== undefined
        ? [{ networkId: body.net_id, ...(fixedIp === undefined ? {} : { fixedIp }) }]
        : onlyNetwork(world, access);
  if (requested === undefined) throw badRequest('No networks available.');
  validateNetworks(world, access, [requested], 1);
  const port = patchPort(world, attachPort(world, server, requested), { status: 'ACTIVE' });
  return ok({ interfaceAttachment: view(port) });
}

function detach(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-attach-interfaces:delete');
  releasePort(world, findPort(world, server, request.params['port'] ?? ''));
  return accepted;
}

function groupsOf(world: World, server: Server): object[] {
  const ids = new Set(portsOf(world, server.id).flatMap((port) => port.security_groups));
  return [...ids].flatMap((id) => {
    const group = world.tables.securityGroups.get(id);
    if (group === undefined) return [];
    return [{ id, name: group.name, description: group.description, tenant_id: group.project_id, rules: [] }];
  });
}
