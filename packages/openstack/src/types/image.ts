import { z } from 'zod';
import { list } from './collections.ts';

/** Glance v2 puts properties next to the fields; those with a string value are kept. */
export const Image = z.looseObject({
  id: z.string(),
  /** Null if the image has no name. */
  name: z.string().nullish(),
  /** `queued`, `saving`, `active`, `killed`, `deleted`, `pending_delete`, `deactivated`, `uploading`, `importing`. */
  status: z.string(),
  visibility: z.enum(['public', 'private', 'shared', 'community']).catch('private'),
  owner: z.string().nullish(),
  /** Bytes; null until data has been uploaded. */
  size: z.number().nullish(),
  /** GiB. */
  min_disk: z.number().default(0),
  /** MiB. */
  min_ram: z.number().default(0),
  disk_format: z.string().nullish(),
  container_format: z.string().nullish(),
  checksum: z.string().nullish(),
  os_hash_algo: z.string().nullish(),
  os_hash_value: z.string().nullish(),
  protected: z.boolean().default(false),
  os_hidden: z.boolean().default(false),
  tags: list(z.string()).default([]),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Image = z.infer<typeof Image>;
