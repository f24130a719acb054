import { z } from 'zod';
import { record } from './collections.ts';

/**
 * `creating`, `creating_from_snapshot`, `available`, `extending`, `shrinking`, `deleting`, `error`, `error_deleting`, `extending_error`,
 * `shrinking_error`, `shrinking_possible_data_loss_error`, `reverting`, `reverting_error`, `manage_starting`, `manage_error`, `unmanaging`,
 * `unmanage_error`, `migrating`, `migrating_to`, `server_migrating`, `awaiting_transfer`, `ensuring`.
 */
export const Share = z.object({
  id: z.string(),
  name: z.string().nullish(),
  /**
   * Manila lists a share with status null until it has an instance: see share_create in manila/db, create_instance in
   * manila/share/api.py.
   */
  status: z
    .string()
    .nullable()
    .transform((status) => status ?? 'creating'),
  /** GiB. */
  size: z.number(),
  /** `NFS`, `CIFS`, `CEPHFS`… */
  share_proto: z.string(),
  availability_zone: z.string().nullish(),
  share_type_name: z.string().nullish(),
  metadata: record(z.string()).default({}),
  /** Combined state of its rules: `active`, `syncing` or `error`. */
  access_rules_status: z.string().nullish(),
  created_at: z.string().nullish(),
  project_id: z.string().nullish(),
});
export type Share = z.infer<typeof Share>;

/** `POST /shares`. */
export interface ShareCreate {
  readonly share_proto: 'NFS';
  /** GiB. */
  readonly size: number;
  readonly name?: string;
  readonly description?: string;
  /** Name or id. */
  readonly share_type?: string;
  readonly share_network_id?: string;
  readonly availability_zone?: string;
  /** Keys have 1 to 255 characters, values 1 to 1023. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export const ExportLocation = z.object({
  id: z.string(),
  /** `10.0.0.10:/shares/share-1`. */
  path: z.string(),
  preferred: z.boolean().default(false),
  /** Visible only to administrators. */
  is_admin_only: z.boolean().default(false),
});
export type ExportLocation = z.infer<typeof ExportLocation>;

export const AccessRule = z.object({
  id: z.string(),
  /** `ip`, `user`, `cert` or `cephx`. */
  access_type: z.string(),
  access_to: z.string(),
  access_level: z.string(),
  /**
   * `queued_to_apply`, `applying`, `active`, `queued_to_deny`, `denying` or `error`; briefly absent before a denied
   * rule disappears.
   */
  state: z.string().nullable(),
  metadata: record(z.string()).default({}),
});
export type AccessRule = z.infer<typeof AccessRule>;

export interface AccessRuleCreate {
  /** An address, or a network in CIDR notation. */
  readonly ip: string;
  readonly level: 'rw' | 'ro';
  readonly metadata?: Readonly<Record<string, string>>;
}

export const ShareType = z.object({ id: z.string(), name: z.string() });
export type ShareType = z.infer<typeof ShareType>;

export const ShareZone = z.object({ id: z.string(), name: z.string() });
export type ShareZone = z.infer<typeof ShareZone>;

/** The network of the share servers created by some back ends. */
export const ShareNetwork = z.object({ id: z.string(), project_id: z.string().nullish() });
export type ShareNetwork = z.infer<typeof ShareNetwork>;

/** A message to the user about the result of a request. */
export const ShareMessage = z.object({ id: z.string(), user_message: z.string().nullish() });
export type ShareMessage = z.infer<typeof ShareMessage>;
