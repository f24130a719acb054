import { z } from 'zod';
import { isBase64 } from './user-data.ts';

const Name = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\S(.*\S)?$/s);
const MetadataValue = z.string().max(255);
export const Metadata = z.record(z.string().min(1).max(255), MetadataValue);
export const Tag = z
  .string()
  .min(1)
  .max(60)
  .regex(/^[^,/]*$/);
const Count = z.union([z.int().min(1), z.string().regex(/^[1-9]\d*$/)]);
const Flag = z.union([z.boolean(), z.enum(['True', 'true', 'False', 'false', '1', '0'])]);

const BlockDevice = z.strictObject({
  uuid: z.string().optional(),
  source_type: z.enum(['image', 'volume', 'snapshot', 'blank']),
  destination_type: z.enum(['local', 'volume']).optional(),
  boot_index: z.union([z.int(), z.string().regex(/^-?\d+$/)]).nullish(),
  volume_size: z.union([z.int().min(0), z.string().regex(/^\d+$/)]).nullish(),
  volume_type: z.string().nullish(),
  delete_on_termination: Flag.optional(),
  device_name: z.string().nullish(),
  device_type: z.string().nullish(),
  disk_bus: z.string().nullish(),
  guest_format: z.string().nullish(),
  no_device: z.unknown().optional(),
  tag: z.string().optional(),
});
/** Schema of a property that the microversion does not support. */
const absent = z.never().optional();

export type BlockDevice = z.infer<typeof BlockDevice>;

const Network = z.strictObject({
  uuid: z.string().optional(),
  port: z.string().nullish(),
  fixed_ip: z.string().optional(),
  tag: z.string().optional(),
});

const Hints = z.looseObject({
  group: z.uuid().optional(),
});

export const UserData = z
  .string()
  .max(65_535)
  .refine(isBase64, { error: (issue) => `${JSON.stringify(issue.input).replaceAll('"', "'")} is not a 'base64'` });

const server = {
  name: Name,
  flavorRef: z.union([z.string().min(1), z.int()]),
  imageRef: z.string().optional(),
  adminPass: z.string().optional(),
  metadata: Metadata.optional(),
  networks: z.union([z.array(Network), z.enum(['auto', 'none'])]).optional(),
  security_groups: z.array(z.strictObject({ name: z.string().min(1).max(255) })).optional(),
  availability_zone: z.string().min(1).max(255).nullish(),
  key_name: z.string().min(1).max(255).optional(),
  user_data: UserData.nullish(),
  config_drive: Flag.nullish(),
  block_device_mapping_v2: z.array(BlockDevice).optional(),
  block_device_mapping: z.array(z.unknown()).optional(),
  min_count: Count.optional(),
  max_count: Count.optional(),
  return_reservation_id: Flag.optional(),
  'OS-DCF:diskConfig': z.enum(['AUTO', 'MANUAL']).optional(),
  accessIPv4: z.string().optional(),
  accessIPv6: z.string().optional(),
  personality: z.array(z.unknown()).optional(),
};

/** The request schema of `POST /servers` at a microversion. */
export function createServerSchema(microversion: number) {
  const { personality, networks, ...baseFields } = server;
  return z.strictObject({
    server: z.strictObject({
      ...baseFields,
      networks: microversion >= 37 ? requiredNetworks : networks,
      ...(microversion < 57 ? { personality } : {}),
      description: microversion >= 19 ? z.string().max(255).nullish() : absent,
      tags: microversion >= 52 ? z.array(Tag).max(50).optional() : absent,
      trusted_image_certificates: microversion >= 63 ? z.array(z.string()).nullish() : absent,
      host: microversion >= 74 ? z.string().optional() : absent,
      hypervisor_hostname: microversion >= 74 ? z.string().optional() : absent,
      hostname:
        microversion >= 90
          ? z
              .string()
              .min(1)
              .max(63)
              .regex(/^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/)
              .optional()
          : absent,
    }),
    'os:scheduler_hints': Hints.optional(),
    'OS-SCH-HNT:scheduler_hints': Hints.optional(),
  });
}

const requiredNetworks = z.union([z.array(Network), z.enum(['auto', 'none'])]);

export type CreateServer = z.infer<ReturnType<typeof createServerSchema>>;

export function isTrue(flag: boolean | string | null | undefined): boolean {
  return flag === true || ['True', 'true', '1'].includes(String(flag));
}
