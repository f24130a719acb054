import { z } from 'zod';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { contains, overlaps, parseCidr, parseIp } from './cidr.ts';
import { parseAttributes } from './parse.ts';
import { deletePort, patchPort } from './port-lifecycle.ts';
import { newPort } from './ports.ts';
import { conflict, missing, networkNotFound, portNotFound, subnetNotFound } from './problem.ts';
import { isSharedByPolicy } from './rbac-policies.ts';
import type { Port, Router, Subnet } from './records.ts';
import { findOwn, viewOf } from './resource.ts';
import { badRouter, checkRoutes, interfacesOf, routerKind } from './routers.ts';
import { HostRoutes } from './schema.ts';
import { networkTime } from './stamp.ts';

const Interface = z.strictObject({ subnet_id: z.string().optional(), port_id: z.string().optional() });
const Routes = z.strictObject({ routes: HostRoutes });

export function routerActionRoutes(world: World): Route[] {
  const kind = routerKind(world);
  const on = (action: string, handle: (request: ApiRequest, router: Router) => object): Route => ({
    method: 'PUT',
    template: `/v2.0/routers/{id}/${action}`,
    handle: (request): ApiResponse =>
      ok(handle(request, findOwn(kind, request.access, request.params['id'] ?? '', action))),
  });
  return [
    on('add_router_interface', (request, router) => addInterface(world, request, router)),
    on('remove_router_interface', (request, router) => removeInterface(world, request, router)),
    on('add_extraroutes', (request, router) => {
      const { routes } = readRoutes(request);
      const isNew = (route: (typeof routes)[number]): boolean =>
        !router.routes.some((r) => r.destination === route.destination && r.nexthop === route.nexthop);
      const all = [...router.routes, ...routes.filter(isNew)];
      checkRoutes(world, router, all);
      const after = bumpRevision(world, { ...router, routes: all });
      return { router: viewOf(kind, request.access, after) };
    }),
    on('remove_extraroutes', (request, router) => {
      const { routes } = readRoutes(request);
      const isKept = (route: (typeof routes)[number]): boolean =>
        !routes.some((r) => r.destination === route.destination && r.nexthop === route.nexthop);
      return {
        router: viewOf(kind, request.access, bumpRevision(world, { ...router, routes: router.routes.filter(isKept) })),
      };
    }),
  ];
}

function readRoutes(request: ApiRequest): z.infer<typeof Routes> {
  const body = request.body as { readonly router?: unknown } | undefined;
  return parseAttributes(Routes, body?.router ?? {});
}

function bumpRevision(world: World, router: Router): Router {
  return world.tables.routers.put({
    ...router,
    revision_number: router.revision_number + 1,
    updated_at: networkTime(world),
  });
}

function interfaceInfo(router: Router, port: Port, subnetIds: readonly string[]): object {
  return {
    id: router.id,
    tenant_id: router.project_id,
    port_id: port.id,
    network_id: port.network_id,
    subnet_id: subnetIds.at(-1),
    subnet_ids: subnetIds,
  };
}

function readInterface(request: ApiRequest): { readonly subnetId?: string; readonly portId?: string } {
  const { subnet_id, port_id } = parseAttributes(Interface, request.body ?? {});
  if (subnet_id === undefined && port_id === undefined)
    throw badRouter('Either subnet_id or port_id must be specified');
  return {
    ...(subnet_id === undefined ? {} : { subnetId: subnet_id }),
    ...(port_id === undefined ? {} : { portId: port_id }),
  };
}

function addInterface(world: World, request: ApiRequest, router: Router): object {
  const { subnetId, portId } = readInterface(request);
  if (subnetId !== undefined && portId !== undefined) throw badRouter('Cannot specify both subnet-id and port-id');
  const port =
    portId === undefined
      ? addBySubnet(world, request, router, subnetId ?? '')
      : addByPort(world, request, router, portId);
  bumpRevision(world, router);
  return interfaceInfo(
    router,
    port,
    port.fixed_ips.map((ip) => ip.subnet_id),
  );
}

function addBySubnet(world: World, request: ApiRequest, router: Router, subnetId: string): Port {
  const { subnets, networks, ports } = world.tables;
  const subnet = subnets.get(subnetId);
  const network = networks.get(subnet?.network_id ?? '');
  const { access } = request;
  const isShared = network?.shared === true || isSharedByPolicy(world, subnet?.network_id ?? '', access.projectId);
  const isSeen = isAdmin(access) || subnet?.project_id === access.projectId || isShared;
  if (subnet === undefined || network === undefined || !isSeen) throw subnetNotFound(subnetId);
  if (subnet.gateway_ip === null) throw badRouter('Subnet for router interface must have a gateway IP');
  checkSubnet(world, router, subnet);
  return ports.put(
    newPort(world, {
      network,
      projectId: router.project_id,
      fixedIps: [{ subnet_id: subnet.id, ip_address: subnet.gateway_ip }],
      fields: {
        device_id: router.id,
        device_owner: 'network:router_interface',
        status: 'ACTIVE',
        port_security_enabled: false,
        'binding:host_id': 'network-1',
      },
    }),
  );
}

function addByPort(world: World, request: ApiRequest, router: Router, portId: string): Port {
  const { ports, subnets, networks } = world.tables;
  const port = ports.get(portId);
  if (port === undefined || !(isAdmin(request.access) || port.project_id === request.access.projectId))
    throw portNotFound(portId);
  if (port.device_id !== '') {
    throw conflict(
      'PortInUse',
      `Unable to complete operation on port ${portId} for network ${port.network_id}. Port already has an attached device ${port.device_id}.`,
    );
  }
  if (!networks.has(port.network_id)) throw networkNotFound(port.network_id);
  if (port.fixed_ips.length === 0) throw badRouter('Router port must have at least one fixed IP');
  for (const { subnet_id } of port.fixed_ips) {
    const subnet = subnets.get(subnet_id);
    if (subnet !== undefined) checkSubnet(world, router, subnet);
  }
  return patchPort(world, port, {
    device_id: router.id,
    device_owner: 'network:router_interface',
    status: 'ACTIVE',
    security_groups: [],
    port_security_enabled: false,
  });
}

function checkSubnet(world: World, router: Router, subnet: Subnet): void {
  const { subnets } = world.tables;
  const cidr = parseCidr(subnet.cidr);
  for (const port of world.indexes.portsByDevice.of(router.id)) {
    for (const { subnet_id } of port.fixed_ips) {
      if (subnet_id === subnet.id) throw badRouter(`Router already has a port on subnet ${subnet.id}`);
      const other = subnets.get(subnet_id);
      const otherCidr = parseCidr(other?.cidr ?? '');
      if (other === undefined || cidr === undefined || otherCidr === undefined || !overlaps(cidr, otherCidr)) continue;
      throw badRouter(
        `Cidr ${subnet.cidr} of subnet ${subnet.id} overlaps with cidr ${other.cidr} of subnet ${other.id}`,
      );
    }
  }
}

function removeInterface(world: World, request: ApiRequest, router: Router): object {
  const { subnetId, portId } = readInterface(request);
  const port = interfacesOf(world, router.id).find(
    (p) =>
      (portId === undefined || p.id === portId) &&
      (subnetId === undefined || p.fixed_ips.some((ip) => ip.subnet_id === subnetId)),
  );
  if (port === undefined) {
    if (portId !== undefined) {
      throw missing('RouterInterfaceNotFound', `Router ${router.id} does not have an interface with id ${portId}`);
    }
    throw missing('RouterInterfaceNotFoundForSubnet', `Router ${router.id} has no interface on subnet ${subnetId}`);
  }
  for (const { subnet_id } of port.fixed_ips) refuseInterfaceInUse(world, router, subnet_id);
  const subnetIds = port.fixed_ips.map((ip) => ip.subnet_id);
  deletePort(world, port);
  bumpRevision(world, router);
  return interfaceInfo(router, port, subnetIds);
}

function refuseInterfaceInUse(world: World, router: Router, subnetId: string): void {
  const { floatingIps, ports, subnets } = world.tables;
  const isNeeded = floatingIps.find((floatingIp) => {
    if (floatingIp.router_id !== router.id || floatingIp.port_id === null) return false;
    const target = ports.get(floatingIp.port_id)?.fixed_ips.find((ip) => ip.ip_address === floatingIp.fixed_ip_address);
    return target?.subnet_id === subnetId;
  });
  if (isNeeded !== undefined) {
    throw conflict(
      'RouterInterfaceInUseByFloatingIP',
      `Router interface for subnet ${subnetId} on router ${router.id} cannot be deleted, as it is required by one or more floating IPs.`,
    );
  }
  const cidr = parseCidr(subnets.get(subnetId)?.cidr ?? '');
  const isNextHop = router.routes.some(({ nexthop }) => {
    const ip = parseIp(nexthop);
    return ip !== undefined && cidr !== undefined && contains(cidr, ip);
  });
  if (!isNextHop) return;
  throw conflict(
    'RouterInterfaceInUseByRoute',
    `Router interface for subnet ${subnetId} on router ${router.id} cannot be deleted, as it is required by one or more routes.`,
  );
}
