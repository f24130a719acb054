import { z } from 'zod';
import { list, record } from './collections.ts';
import { Link } from './link.ts';

/**
 * https://docs.openstack.org/api-guide/compute/server_concepts.html; `UNKNOWN` also stands for statuses from later Nova
 * releases.
 */
export const SERVER_STATUSES = [
  'ACTIVE',
  'BUILD',
  'DELETED',
  'ERROR',
  'HARD_REBOOT',
  'MIGRATING',
  'PASSWORD',
  'PAUSED',
  'REBOOT',
  'REBUILD',
  'RESCUE',
  'RESIZE',
  'REVERT_RESIZE',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SHUTOFF',
  'SOFT_DELETED',
  'SUSPENDED',
  'UNKNOWN',
  'VERIFY_RESIZE',
] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];

export const ServerAddress = z.object({
  addr: z.string(),
  version: z.union([z.literal(4), z.literal(6)]),
  'OS-EXT-IPS:type': z.enum(['fixed', 'floating']).optional(),
  'OS-EXT-IPS-MAC:mac_addr': z.string().optional(),
});
export type ServerAddress = z.infer<typeof ServerAddress>;

/** Only on a server in ERROR (or DELETED). `details` is for administrators, except with code 500 on some clouds. */
export const ServerFault = z.object({
  code: z.number(),
  message: z.string(),
  created: z.string().optional(),
  details: z.string().optional(),
});
export type ServerFault = z.infer<typeof ServerFault>;

/** From 2.47 a server contains a copy of its flavor without the id; before that, a link to the flavor. */
export const ServerFlavor = z.union([
  z.object({
    original_name: z.string(),
    vcpus: z.number(),
    ram: z.number(),
    disk: z.number(),
    ephemeral: z.number(),
    swap: z.number(),
    extra_specs: record(z.string()).optional(),
  }),
  z.object({ id: z.string(), links: list(Link).optional() }),
]);
export type ServerFlavor = z.infer<typeof ServerFlavor>;

export const Server = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(SERVER_STATUSES).catch('UNKNOWN'),
  tenant_id: z.string(),
  user_id: z.string(),
  created: z.string(),
  updated: z.string(),
  hostId: z.string().default(''),
  /** An empty string if the server boots from a volume. */
  image: z.union([z.object({ id: z.string(), links: list(Link).optional() }), z.literal('')]).nullish(),
  flavor: ServerFlavor,
  /** By network name. Cached by Nova for seconds: ports are authoritative. */
  addresses: record(list(ServerAddress)).default({}),
  accessIPv4: z.string().default(''),
  accessIPv6: z.string().default(''),
  metadata: record(z.string()).default({}),
  /** From 2.26. */
  tags: list(z.string()).default([]),
  key_name: z.string().nullish(),
  config_drive: z.union([z.string(), z.boolean()]).default(''),
  security_groups: list(z.object({ name: z.string() })).optional(),
  fault: ServerFault.optional(),
  progress: z.number().optional(),
  locked: z.boolean().optional(),
  locked_reason: z.string().nullish(),
  description: z.string().nullish(),
  links: list(Link).optional(),
  'OS-DCF:diskConfig': z.string().optional(),
  'OS-EXT-AZ:availability_zone': z.string().nullish(),
  'OS-EXT-STS:vm_state': z.string().nullish(),
  'OS-EXT-STS:task_state': z.string().nullish(),
  'OS-EXT-STS:power_state': z.number().nullish(),
  'OS-SRV-USG:launched_at': z.string().nullish(),
  'OS-SRV-USG:terminated_at': z.string().nullish(),
  'os-extended-volumes:volumes_attached': list(
    z.object({ id: z.string(), delete_on_termination: z.boolean().optional() }),
  ).default([]),
  /** From 2.71; only in the details of one server, never in the list. */
  server_groups: list(z.string()).optional(),
  trusted_image_certificates: list(z.string()).nullish(),
  'OS-EXT-SRV-ATTR:hostname': z.string().optional(),
});
export type Server = z.infer<typeof Server>;

/** `POST /servers` responds 202 with only this; `adminPass` only if the cloud injects passwords. */
export const ServerCreated = z.object({
  id: z.string(),
  adminPass: z.string().optional(),
  links: list(Link).optional(),
});
export type ServerCreated = z.infer<typeof ServerCreated>;

export const BlockDeviceMapping = z.object({
  boot_index: z.union([z.number(), z.string()]).nullish(),
  source_type: z.enum(['image', 'volume', 'snapshot', 'blank']),
  destination_type: z.enum(['local', 'volume']).optional(),
  uuid: z.string().optional(),
  /** GiB. */
  volume_size: z.number().optional(),
  /** From 2.67. */
  volume_type: z.string().optional(),
  delete_on_termination: z.boolean().optional(),
  device_name: z.string().nullish(),
  device_type: z.string().nullish(),
  disk_bus: z.string().nullish(),
  guest_format: z.string().nullish(),
  tag: z.string().optional(),
});
export type BlockDeviceMapping = z.infer<typeof BlockDeviceMapping>;

export const ServerNetwork = z.object({
  uuid: z.string().optional(),
  port: z.string().optional(),
  fixed_ip: z.string().optional(),
  tag: z.string().optional(),
});
export type ServerNetwork = z.infer<typeof ServerNetwork>;

export const ServerCreate = z.object({
  name: z.string(),
  flavorRef: z.string(),
  /** Omitted if `block_device_mapping_v2` names the boot device. */
  imageRef: z.string().optional(),
  /** Base64. */
  user_data: z.string().optional(),
  /** Required from 2.37; `none` creates a server without a port, `auto` lets Nova choose or create a network. */
  networks: z.union([list(ServerNetwork), z.enum(['auto', 'none'])]).optional(),
  metadata: record(z.string()).optional(),
  /** From 2.52; at most 50, without commas and slashes. */
  tags: list(z.string()).optional(),
  /** By name or id; only for ports that Nova creates. */
  security_groups: list(z.object({ name: z.string() })).optional(),
  availability_zone: z.string().optional(),
  key_name: z.string().optional(),
  config_drive: z.boolean().optional(),
  block_device_mapping_v2: list(BlockDeviceMapping).optional(),
  /** From 2.19. */
  description: z.string().nullish(),
  /** From 2.90. */
  hostname: z.string().optional(),
  min_count: z.union([z.number(), z.string()]).optional(),
  max_count: z.union([z.number(), z.string()]).optional(),
  'OS-DCF:diskConfig': z.enum(['AUTO', 'MANUAL']).optional(),
});
export type ServerCreate = z.infer<typeof ServerCreate>;

/** Next to `server` in the request, not inside it. */
export const SchedulerHints = z.looseObject({
  group: z.string().optional(),
  different_host: z.union([z.string(), list(z.string())]).optional(),
  same_host: z.union([z.string(), list(z.string())]).optional(),
});
export type SchedulerHints = z.infer<typeof SchedulerHints>;

export const ServerCreateRequest = z.object({
  server: ServerCreate,
  'os:scheduler_hints': SchedulerHints.optional(),
  /** Nova's alias; clients prefer `os:`. */
  'OS-SCH-HNT:scheduler_hints': SchedulerHints.optional(),
});
export type ServerCreateRequest = z.infer<typeof ServerCreateRequest>;

export const ServerRebuild = z.object({
  imageRef: z.string(),
  name: z.string().optional(),
  /** From 2.57; null removes it. */
  user_data: z.string().nullish(),
  metadata: record(z.string()).optional(),
  description: z.string().nullish(),
  preserve_ephemeral: z.boolean().optional(),
  hostname: z.string().optional(),
});
export type ServerRebuild = z.infer<typeof ServerRebuild>;

/** `GET /servers/{id}/os-interface`. */
export const InterfaceAttachment = z.object({
  port_id: z.string(),
  net_id: z.string(),
  mac_addr: z.string(),
  port_state: z.string(),
  fixed_ips: list(z.object({ subnet_id: z.string(), ip_address: z.string() })).nullish(),
  tag: z.string().nullish(),
});
export type InterfaceAttachment = z.infer<typeof InterfaceAttachment>;

/** A volume attached to a server. */
export const VolumeDevice = z.object({
  volumeId: z.string(),
  serverId: z.string(),
  /** `/dev/vdb`: the device requested for the guest. */
  device: z.string().nullish(),
});
export type VolumeDevice = z.infer<typeof VolumeDevice>;
