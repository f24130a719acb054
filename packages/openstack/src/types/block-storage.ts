import { z } from 'zod';
import { list, record } from './collections.ts';

/** `GET /types`: types that the project may use. */
export const VolumeType = z.object({
  id: z.string(),
  name: z.string(),
  /** The part visible to users: `multiattach: '<is> True'`, `RESKEY:availability_zones: 'az1,az2'`. */
  extra_specs: record(z.string().nullable()).nullish(),
});
export type VolumeType = z.infer<typeof VolumeType>;

/** `GET /limits`; -1 means "no limit". */
export const BlockStorageLimits = z.object({
  maxTotalVolumes: z.number(),
  totalVolumesUsed: z.number(),
  /** GiB. */
  maxTotalVolumeGigabytes: z.number(),
  /** Total GiB of volumes and, unless the operator has disabled that, snapshots. */
  totalGigabytesUsed: z.number(),
  maxTotalSnapshots: z.number().optional(),
  totalSnapshotsUsed: z.number().optional(),
});
export type BlockStorageLimits = z.infer<typeof BlockStorageLimits>;

/** `GET /os-availability-zone`. */
export const VolumeZone = z.object({
  zoneName: z.string(),
  zoneState: z.object({ available: z.boolean() }),
});
export type VolumeZone = z.infer<typeof VolumeZone>;

/** Where a volume is attached; a multiattach volume has several. */
export const VolumeAttachment = z.object({
  attachment_id: z.string().optional(),
  volume_id: z.string(),
  server_id: z.string().nullish(),
  /** `/dev/vdb`: the name that Nova requested; the guest may use another. */
  device: z.string().nullish(),
});
export type VolumeAttachment = z.infer<typeof VolumeAttachment>;

/**
 * `creating`, `available`, `reserved`, `attaching`, `detaching`, `in-use`, `maintenance`, `deleting`, `awaiting-transfer`, `error`, `error_deleting`,
 * `backing-up`, `restoring-backup`, `error_backing-up`, `error_restoring`, `error_extending`, `downloading`, `uploading`, `retyping`, `extending`.
 */
export const Volume = z.object({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string(),
  /** GiB. */
  size: z.number(),
  availability_zone: z.string().nullish(),
  /** Name of the volume type. */
  volume_type: z.string().nullish(),
  snapshot_id: z.string().nullish(),
  source_volid: z.string().nullish(),
  metadata: record(z.string()).default({}),
  bootable: z.string().nullish(),
  encrypted: z.boolean().default(false),
  multiattach: z.boolean().default(false),
  attachments: list(VolumeAttachment).default([]),
  created_at: z.string().nullish(),
  'os-vol-tenant-attr:tenant_id': z.string().optional(),
});
export type Volume = z.infer<typeof Volume>;

/** `POST /volumes`. */
export interface VolumeCreate {
  readonly name?: string;
  readonly description?: string;
  /** GiB; at least the size of its source. */
  readonly size: number;
  readonly volume_type?: string;
  readonly availability_zone?: string;
  readonly snapshot_id?: string;
  readonly source_volid?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** `creating`, `available`, `backing-up`, `deleting`, `error`, `deleted`, `unmanaging`, `restoring`, `error_deleting`. */
export const VolumeSnapshot = z.object({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string(),
  /** Size of the source volume in GiB. */
  size: z.number(),
  volume_id: z.string(),
  metadata: record(z.string()).default({}),
  created_at: z.string().nullish(),
  'os-extended-snapshot-attributes:project_id': z.string().optional(),
});
export type VolumeSnapshot = z.infer<typeof VolumeSnapshot>;

/** `POST /snapshots`. */
export interface VolumeSnapshotCreate {
  readonly volume_id: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}
