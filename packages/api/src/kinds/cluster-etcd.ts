import { z } from 'zod';
import { MAX_EARLIER_RESTORES } from '../domain/restore-request.ts';
import { requestTime, timestamp } from '../schema/scalars.ts';

/** The name of a snapshot: its time in UTC, and optionally its reason. */
const snapshotName = () =>
  z
    .string()
    .max(63)
    .regex(
      /^[0-9]{8}-[0-9]{6}-[0-9]{3}(-[a-z0-9]+)*$/,
      'must be the name of a snapshot such as 20261121-163000-000: status.etcd.snapshots lists them',
    );

/** `spec.etcd` of a Cluster. */
export const etcdSpec = z
  .object({
    snapshotRequestedAt: requestTime()
      .optional()
      .describe("There is to be a snapshot that is not older than this, beside those of the plan's schedule."),
    restore: z
      .object({
        snapshot: snapshotName().describe('Name of the snapshot; status.etcd.snapshots lists them.'),
        requestedAt: requestTime()
          .optional()
          .describe(
            'Makes a new request of the same snapshot: each pair of snapshot and time is restored once, and none whose time is before that of the last.',
          ),
      })
      .optional()
      .describe(
        'Sets the whole database of the cluster back to a snapshot, once; what it holds now becomes a snapshot first. The API server is away meanwhile. Taking the field away undoes nothing.',
      ),
  })
  .describe("What is done with the cluster's database.");

const int64 = () => z.int().min(0).meta({ format: 'int64' });

/** `status.etcd` of a Cluster. */
export const etcdStatus = z
  .object({
    quotaBytes: int64().describe('Size that the database may have; it never shrinks.'),
    usageBytes: int64().optional().describe('Size that it has.'),
    snapshots: z
      .array(
        z.object({
          name: z.string().describe('Its name, for spec.etcd.restore.'),
          takenAt: timestamp().describe('When it was taken.'),
          sizeBytes: int64().describe('Size of its file.'),
        }),
      )
      .optional()
      .describe('What it can be set back to, the newest first.'),
    lastRestore: z
      .object({
        snapshot: z.string().describe('Name of the snapshot.'),
        requestedAt: z.string().optional().describe('requestedAt of the request.'),
        restoredAt: timestamp().describe('When the data were made from it.'),
      })
      .optional()
      .describe('The last request that was carried out.'),
    earlierRestores: z
      .array(
        z.object({
          snapshot: z.string().describe('Name of the snapshot.'),
          requestedAt: z.string().optional().describe('requestedAt of the request.'),
        }),
      )
      .max(MAX_EARLIER_RESTORES)
      .optional()
      .describe(
        'Those that were carried out before it, the newest first: asked for once more, they are not carried out again.',
      ),
  })
  .describe("The cluster's database.");
