import { z } from 'zod';
import { ApiError } from '../http/api.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { deletePort } from './port-lifecycle.ts';
import { newPort } from './ports.ts';
import { conflict, floatingIpNotFound, missing, networkNotFound, portNotFound } from './problem.ts';
import type { FixedIp, FloatingIp, Port } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { interfacesOf } from './routers.ts';
import { Description, IpText, ownerAttributes, Uuid } from './schema.ts';
import { newResource } from './stamp.ts';

const mutable = {
  description: Description.nullish(),
  port_id: Uuid.nullish(),
  fixed_ip_address: IpText.nullish(),
  qos_policy_id: z.null().optional(),
};
const CreateFloatingIp = z.strictObject({
  ...mutable,
  ...ownerAttributes,
  floating_network_id: Uuid,
  floating_ip_address: IpText.nullish(),
  subnet_id: Uuid.nullish(),
  dns_name: z.string().optional(),
  dns_domain: z.string().optional(),
});
const UpdateFloatingIp = z.strictObject(mutable);

type Association = Pick<FloatingIp, 'port_id' | 'fixed_ip_address' | 'router_id' | 'status'>;

const UNASSOCIATED: Association = { port_id: null, fixed_ip_address: null, router_id: null, status: 'DOWN' };

export function floatingIpKind(
  world: World,
): ResourceKind<FloatingIp, typeof CreateFloatingIp, typeof UpdateFloatingIp> {
  const { floatingIps, networks, ports } = world.tables;
  return {
    singular: 'floatingip',
    plural: 'floatingips',
    path: 'floatingips',
    table: floatingIps,
    createSchema: CreateFloatingIp,
    updateSchema: UpdateFloatingIp,
    adminAttributes: ['floating_ip_address'],
    hiddenAttributes: [],
    missing: floatingIpNotFound,
    isSharedWith: () => false,
    create(access, projectId, body) {
      const network = networks.get(body.floating_network_id);
      if (network === undefined) throw networkNotFound(body.floating_network_id);
      if (!network['router:external']) throw badFloatingIp(`Network ${network.id} is not a valid external network`);
      const row = newResource(world, projectId, body.description);
      const requested =
        body.floating_ip_address != null
          ? [{ ip_address: body.floating_ip_address }]
          : body.subnet_id != null
            ? [{ subnet_id: body.subnet_id }]
            : undefined;
      const port = newPort(world, {
        network,
        projectId: '',
        fixedIps: requested,
        fields: { device_id: row.id, device_owner: 'network:floatingip' },
      });
      const address = port.fixed_ips.find((ip) => !ip.ip_address.includes(':'))?.ip_address;
      if (address === undefined) {
        throw badFloatingIp(`Network ${network.id} does not contain any IPv4 subnet`);
      }
      ports.put(port);
      const newFloatingIp: FloatingIp = {
        ...row,
        floating_network_id: network.id,
        floating_ip_address: address,
        ...UNASSOCIATED,
      };
      return body.port_id == null
        ? newFloatingIp
        : { ...newFloatingIp, ...associate(world, access, newFloatingIp, body.port_id, body.fixed_ip_address) };
    },
    update(access, floatingIp, body) {
      const described = { ...floatingIp, description: body.description ?? floatingIp.description };
      if (body.port_id === undefined) {
        if (body.fixed_ip_address != null && floatingIp.port_id === null)
          throw badFloatingIp('fixed_ip_address cannot be specified without a port_id');
        return described;
      }
      if (body.port_id === null) return { ...described, ...UNASSOCIATED };
      return { ...described, ...associate(world, access, floatingIp, body.port_id, body.fixed_ip_address) };
    },
    remove(_access, floatingIp) {
      const port = world.indexes.portsByDevice.of(floatingIp.id).find((p) => p.device_owner === 'network:floatingip');
      if (port !== undefined) deletePort(world, port);
    },
    derive: (floatingIp) => ({
      qos_policy_id: null,
      dns_name: '',
      dns_domain: '',
      port_forwardings: [],
      port_details: portDetails(ports.get(floatingIp.port_id ?? '')),
    }),
  };
}

function portDetails(port: Port | undefined): object | null {
  if (port === undefined) return null;
  const { name, network_id, mac_address, admin_state_up, status, device_id, device_owner } = port;
  return { name, network_id, mac_address, admin_state_up, status, device_id, device_owner };
}

function badFloatingIp(message: string): ApiError {
  return new ApiError(400, `Bad floatingip request: ${message}.`, { type: 'BadRequest' });
}

function associate(
  world: World,
  access: Access,
  floatingIp: FloatingIp,
  portId: string,
  fixedIpAddress: string | null | undefined,
): Association {
  const port = world.tables.ports.get(portId);
  if (port === undefined || !(isAdmin(access) || port.project_id === access.projectId)) throw portNotFound(portId);
  const target = chooseTarget(port, fixedIpAddress ?? undefined);
  const routerId = findRouter(world, floatingIp.floating_network_id, port, target);
  const other = world.tables.floatingIps.find(
    (ip) => ip.id !== floatingIp.id && ip.port_id === portId && ip.fixed_ip_address === target.ip_address,
  );
  if (other !== undefined) {
    throw conflict(
      'FloatingIPPortAlreadyAssociated',
      `Cannot associate floating IP ${floatingIp.floating_ip_address} (${floatingIp.id}) with port ${portId} using fixed IP ${target.ip_address}, as that fixed IP already has a floating IP on external network ${floatingIp.floating_network_id}.`,
    );
  }
  return { port_id: portId, fixed_ip_address: target.ip_address, router_id: routerId, status: 'ACTIVE' };
}

function chooseTarget(port: Port, address: string | undefined): FixedIp {
  const candidates = port.fixed_ips.filter((ip) => !ip.ip_address.includes(':'));
  if (address !== undefined) {
    const chosen = candidates.find((ip) => ip.ip_address === address);
    if (chosen === undefined) throw badFloatingIp(`Port ${port.id} does not have fixed ip ${address}`);
    return chosen;
  }
  const [first] = candidates;
  if (first === undefined)
    throw badFloatingIp(`Cannot add floating IP to port ${port.id} that has no fixed IPv4 addresses`);
  if (candidates.length > 1) {
    throw badFloatingIp(
      `Port ${port.id} has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address when assigning a floating IP`,
    );
  }
  return first;
}

/** The router between the port's subnet and the external network. */
function findRouter(world: World, externalNetworkId: string, port: Port, { subnet_id }: FixedIp): string {
  for (const router of world.tables.routers.values()) {
    if (router.external_gateway_info?.network_id !== externalNetworkId) continue;
    if (interfacesOf(world, router.id).some((p) => p.fixed_ips.some((ip) => ip.subnet_id === subnet_id)))
      return router.id;
  }
  throw missing(
    'ExternalGatewayForFloatingIPNotFound',
    `External network ${externalNetworkId} is not reachable from subnet ${subnet_id}.  Therefore, cannot associate Port ${port.id} with a Floating IP.`,
  );
}
