import { z } from 'zod';
import { ApiError } from '../http/api.ts';
import { pythonRepr } from '../http/parse-body.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { contains, parseCidr, parseIp } from './cidr.ts';
import { deletePort } from './port-lifecycle.ts';
import { newPort } from './ports.ts';
import { conflict, networkNotFound, routerNotFound } from './problem.ts';
import type { ExternalGateway, HostRoute, Port, Router } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { Description, Flag, HostRoutes, IpText, Name, ownerAttributes, Uuid } from './schema.ts';
import { newResource } from './stamp.ts';

const Gateway = z.strictObject({
  network_id: Uuid,
  enable_snat: Flag.optional(),
  external_fixed_ips: z.array(z.strictObject({ subnet_id: Uuid.optional(), ip_address: IpText.optional() })).optional(),
  qos_policy_id: z.null().optional(),
});

const mutable = {
  name: Name.optional(),
  description: Description.nullish(),
  admin_state_up: Flag.optional(),
  external_gateway_info: z.union([Gateway, z.strictObject({}), z.null()]).optional(),
  distributed: Flag.optional(),
  ha: Flag.optional(),
};
const CreateRouter = z.strictObject({
  ...mutable,
  ...ownerAttributes,
  availability_zone_hints: z.array(z.string()).optional(),
});
const UpdateRouter = z.strictObject({ ...mutable, routes: HostRoutes.nullish() });

export function badRouter(message: string): ApiError {
  return new ApiError(400, `Bad router request: ${message}.`, { type: 'BadRequest' });
}

export function routerKind(world: World): ResourceKind<Router, typeof CreateRouter, typeof UpdateRouter> {
  const { routers } = world.tables;
  return {
    singular: 'router',
    plural: 'routers',
    path: 'routers',
    table: routers,
    createSchema: CreateRouter,
    updateSchema: UpdateRouter,
    adminAttributes: ['distributed', 'ha'],
    hiddenAttributes: ['distributed', 'ha'],
    missing: routerNotFound,
    isSharedWith: () => false,
    create(access, projectId, body) {
      requireGatewayPolicy(access, 'create_router', body.external_gateway_info);
      const router: Router = {
        ...newResource(world, projectId, body.description),
        name: body.name ?? '',
        status: 'ACTIVE',
        admin_state_up: body.admin_state_up ?? true,
        external_gateway_info: null,
        routes: [],
        distributed: body.distributed ?? false,
        ha: body.ha ?? false,
        availability_zone_hints: body.availability_zone_hints ?? [],
      };
      return { ...router, external_gateway_info: setGateway(world, router, body.external_gateway_info) };
    },
    update(access, router, body) {
      requireGatewayPolicy(access, 'update_router', body.external_gateway_info);
      const gateway =
        body.external_gateway_info === undefined
          ? router.external_gateway_info
          : setGateway(world, router, body.external_gateway_info);
      const routes = body.routes === undefined ? router.routes : (body.routes ?? []);
      if (body.routes !== undefined) checkRoutes(world, router, routes);
      return {
        ...router,
        name: body.name ?? router.name,
        description: body.description ?? router.description,
        admin_state_up: body.admin_state_up ?? router.admin_state_up,
        distributed: body.distributed ?? router.distributed,
        ha: body.ha ?? router.ha,
        external_gateway_info: gateway,
        routes,
      };
    },
    remove(_access, router) {
      const attached = interfacesOf(world, router.id).map((port) => port.id);
      if (attached.length > 0) {
        throw conflict('RouterInUse', `Router ${router.id} has ports still attached: ${attached.join(',')}`);
      }
      setGateway(world, router, null);
    },
    derive: (router) => ({
      availability_zones: router.external_gateway_info === null ? [] : world.config.zones.map((zone) => zone.name),
      flavor_id: null,
    }),
  };
}

/** Only administrators may set a gateway's source NAT and addresses. */
function requireGatewayPolicy(access: Access, rule: string, info: object | null | undefined): void {
  if (info == null || isAdmin(access)) return;
  const reserved = ['enable_snat', 'external_fixed_ips'].find((name) => name in info);
  if (reserved === undefined) return;
  const gateway = `rule:${rule}:external_gateway_info`;
  throw new ApiError(
    403,
    `(rule:${rule} and (${gateway} and (${gateway}:network_id and ${gateway}:${reserved}))) is disallowed by policy`,
    { type: 'PolicyNotAuthorized' },
  );
}

export function interfacesOf(world: World, routerId: string): Port[] {
  return world.indexes.portsByDevice.of(routerId).filter((port) => port.device_owner === 'network:router_interface');
}

/** Sets, changes or clears the gateway, with its port on the external network. */
function setGateway(
  world: World,
  router: Router,
  requested: z.infer<typeof Gateway> | Record<string, never> | null | undefined,
): ExternalGateway | null {
  const { networks, ports } = world.tables;
  const current = router.external_gateway_info;
  const info = requested == null || !('network_id' in requested) ? null : (requested as z.infer<typeof Gateway>);
  const port = world.indexes.portsByDevice.of(router.id).find((p) => p.device_owner === 'network:router_gateway');
  if (
    info !== null &&
    current !== null &&
    info.network_id === current.network_id &&
    info.external_fixed_ips === undefined
  ) {
    return { ...current, enable_snat: info.enable_snat ?? current.enable_snat };
  }
  if (current !== null && info?.network_id !== current.network_id) refuseGatewayInUse(world, router, current);
  const network = info === null ? undefined : networks.get(info.network_id);
  if (info !== null && network === undefined) throw networkNotFound(info.network_id);
  if (network?.['router:external'] === false) throw badRouter(`Network ${network.id} is not an external network`);
  if (port !== undefined) deletePort(world, port);
  if (info === null || network === undefined) return null;
  const gatewayPort = ports.put(
    newPort(world, {
      network,
      projectId: '',
      fixedIps: info.external_fixed_ips,
      fields: {
        device_id: router.id,
        device_owner: 'network:router_gateway',
        status: 'ACTIVE',
        'binding:host_id': 'network-1',
      },
    }),
  );
  return { network_id: network.id, enable_snat: info.enable_snat ?? true, external_fixed_ips: gatewayPort.fixed_ips };
}

function refuseGatewayInUse(world: World, router: Router, { network_id }: ExternalGateway): void {
  if (world.tables.floatingIps.find((ip) => ip.router_id === router.id) === undefined) return;
  throw conflict(
    'RouterExternalGatewayInUseByFloatingIp',
    `Gateway cannot be updated for router ${router.id}, since a gateway to external network ${network_id} is required by one or more floating IPs.`,
  );
}

/** Neutron's default for max_routes. */
const MAX_ROUTES = 30;

/** The next hop of a route must be on a network that the router is connected to, and not be the router itself. */
export function checkRoutes(world: World, router: Router, routes: readonly HostRoute[]): void {
  const cidrs = world.indexes.portsByDevice
    .of(router.id)
    .flatMap((port) => port.fixed_ips)
    .flatMap(({ subnet_id }) => parseCidr(world.tables.subnets.get(subnet_id)?.cidr ?? '') ?? []);
  if (routes.length > MAX_ROUTES) {
    const message = `Unable to complete operation for ${router.id}. The number of routes exceeds the maximum ${MAX_ROUTES}.`;
    throw new ApiError(400, message, { type: 'RoutesExhausted' });
  }
  for (const { nexthop } of routes) {
    const ip = parseIp(nexthop);
    if (ip !== undefined && cidrs.some((cidr) => contains(cidr, ip))) continue;
    throw new ApiError(
      400,
      `Invalid format for routes: ${pythonRepr(routes)}, the nexthop is not connected with router`,
      { type: 'InvalidRoutes' },
    );
  }
}
