import { z } from 'zod';
import { list, record } from './collections.ts';

/** Nova's resources other than servers: flavors, server groups, zones, key pairs, limits and quotas. */

export const Flavor = z.object({
  id: z.string(),
  name: z.string(),
  vcpus: z.number(),
  /** MiB. */
  ram: z.number(),
  /** GiB. */
  disk: z.number(),
  /** MiB; before 2.75, an empty string if there is none. */
  swap: z.union([z.number(), z.literal('')]).default(0),
  'OS-FLV-EXT-DATA:ephemeral': z.number().default(0),
  'OS-FLV-DISABLED:disabled': z.boolean().default(false),
  'os-flavor-access:is_public': z.boolean().default(true),
  rxtx_factor: z.number().nullish(),
  description: z.string().nullish(),
  /** From 2.61, and only if the policy lets the user see them. */
  extra_specs: record(z.string()).optional(),
});
export type Flavor = z.infer<typeof Flavor>;

export const ServerGroupPolicy = z.enum(['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity']);
export type ServerGroupPolicy = z.infer<typeof ServerGroupPolicy>;

export const ServerGroup = z.object({
  id: z.string(),
  name: z.string(),
  project_id: z.string().optional(),
  user_id: z.string().optional(),
  /** From 2.64; before that `policies`. */
  policy: ServerGroupPolicy.optional(),
  policies: list(z.string()).optional(),
  rules: z.object({ max_server_per_host: z.number().optional() }).optional(),
  /** Ids of servers, excluding deleted ones. */
  members: list(z.string()).default([]),
  metadata: record(z.string()).optional(),
});
export type ServerGroup = z.infer<typeof ServerGroup>;

export const ServerGroupCreate = z.object({
  name: z.string(),
  policy: ServerGroupPolicy.optional(),
  /** Only with `anti-affinity`. */
  rules: z.object({ max_server_per_host: z.number().optional() }).optional(),
});
export type ServerGroupCreate = z.infer<typeof ServerGroupCreate>;

/** `GET /os-availability-zone`. */
export const ComputeAvailabilityZone = z.object({
  zoneName: z.string(),
  zoneState: z.object({ available: z.boolean() }),
  hosts: z.null().optional(),
});
export type ComputeAvailabilityZone = z.infer<typeof ComputeAvailabilityZone>;

export const KeyPair = z.object({
  name: z.string(),
  public_key: z.string(),
  fingerprint: z.string(),
  type: z.string().optional(),
  user_id: z.string().optional(),
  /** Only in the response when Nova generates a key pair, before 2.92. */
  private_key: z.string().optional(),
});
export type KeyPair = z.infer<typeof KeyPair>;

/** `GET /limits`; -1 means "no limit". No personality from 2.57, no network items from 2.36. */
export const ComputeLimits = z.object({
  maxTotalInstances: z.number(),
  maxTotalCores: z.number(),
  /** MiB. */
  maxTotalRAMSize: z.number(),
  totalInstancesUsed: z.number(),
  totalCoresUsed: z.number(),
  totalRAMUsed: z.number(),
  maxServerGroups: z.number().default(-1),
  maxServerGroupMembers: z.number().default(-1),
  totalServerGroupsUsed: z.number().default(0),
  maxServerMeta: z.number().default(-1),
  maxTotalKeypairs: z.number().default(-1),
});
export type ComputeLimits = z.infer<typeof ComputeLimits>;

/** `GET /os-quota-sets/{project}`. */
export const ComputeQuotaSet = z.object({
  id: z.string().optional(),
  instances: z.number(),
  cores: z.number(),
  ram: z.number(),
  metadata_items: z.number().optional(),
  key_pairs: z.number().optional(),
  server_groups: z.number().optional(),
  server_group_members: z.number().optional(),
});
export type ComputeQuotaSet = z.infer<typeof ComputeQuotaSet>;
