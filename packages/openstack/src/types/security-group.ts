import { z } from 'zod';
import { list } from './collections.ts';

export const SecurityGroupRule = z.object({
  id: z.string(),
  security_group_id: z.string(),
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.enum(['IPv4', 'IPv6']),
  /** A name (`tcp`) or number; null for any. */
  protocol: z.string().nullish(),
  /** For ICMP, the type and code. */
  port_range_min: z.number().nullish(),
  port_range_max: z.number().nullish(),
  remote_ip_prefix: z.string().nullish(),
  remote_group_id: z.string().nullish(),
  remote_address_group_id: z.string().nullish(),
  description: z.string().nullish(),
  project_id: z.string().default(''),
  tenant_id: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  revision_number: z.number().optional(),
});
export type SecurityGroupRule = z.infer<typeof SecurityGroupRule>;

export const SecurityGroupRuleCreate = z.object({
  security_group_id: z.string(),
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.enum(['IPv4', 'IPv6']).optional(),
  protocol: z.union([z.string(), z.number()]).nullish(),
  port_range_min: z.number().nullish(),
  port_range_max: z.number().nullish(),
  remote_ip_prefix: z.string().nullish(),
  remote_group_id: z.string().nullish(),
  description: z.string().optional(),
});
export type SecurityGroupRuleCreate = z.infer<typeof SecurityGroupRuleCreate>;

export const SecurityGroup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  project_id: z.string().default(''),
  tenant_id: z.string().optional(),
  stateful: z.boolean().default(true),
  shared: z.boolean().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  revision_number: z.number().optional(),
  tags: list(z.string()).default([]),
  security_group_rules: list(SecurityGroupRule).default([]),
});
export type SecurityGroup = z.infer<typeof SecurityGroup>;

export const SecurityGroupCreate = z.object({
  name: z.string(),
  description: z.string().optional(),
  stateful: z.boolean().optional(),
});
export type SecurityGroupCreate = z.infer<typeof SecurityGroupCreate>;
