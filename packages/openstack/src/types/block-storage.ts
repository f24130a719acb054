import { z } from 'zod';

/** `GET /types`: what the project may use. */
export const VolumeType = z.object({
  id: z.string(),
  name: z.string(),
});
export type VolumeType = z.infer<typeof VolumeType>;

/** `GET /limits`; -1 is "no limit". */
export const BlockStorageLimits = z.object({
  maxTotalVolumes: z.number(),
  totalVolumesUsed: z.number(),
  /** GiB. */
  maxTotalVolumeGigabytes: z.number(),
  /** GiB, of volumes and, unless the operator turned that off, of snapshots. */
  totalGigabytesUsed: z.number(),
});
export type BlockStorageLimits = z.infer<typeof BlockStorageLimits>;
