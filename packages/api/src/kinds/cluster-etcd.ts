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
      .describe(
        'Requests a snapshot that is no older than this time, in addition to the scheduled snapshots of the plan.',
      ),
    restore: z
      .object({
        snapshot: snapshotName().describe('Name of the snapshot, from status.etcd.snapshots.'),
        requestedAt: requestTime()
          .optional()
          .describe(
            'Identifies the request: each pair of snapshot and time is processed once, and requests with a time before that of the last request are ignored.',
          ),
      })
      .optional()
      .describe(
        'Restores the whole database of the cluster from a snapshot, once; the current data is first saved as a snapshot. The API server is unavailable during the restore. Removing the field has no effect.',
      ),
  })
  .describe("Operations on the cluster's database.");

const int64 = () => z.int().min(0).meta({ format: 'int64' });

/** `status.etcd` of a Cluster. */
export const etcdStatus = z
  .object({
    quotaBytes: int64().describe('Quota of the database in bytes; it never shrinks.'),
    usageBytes: int64().optional().describe('Current size of the database in bytes.'),
    snapshots: z
      .array(
        z.object({
          name: z.string().describe('Name of the snapshot, for spec.etcd.restore.'),
          takenAt: timestamp().describe('Time when the snapshot was taken.'),
          sizeBytes: int64().describe('Size of the snapshot in bytes.'),
        }),
      )
      .optional()
      .describe('Snapshots from which the database can be restored, newest first.'),
    lastRestore: z
      .object({
        snapshot: z.string().describe('Name of the snapshot.'),
        requestedAt: z.string().optional().describe('Value of requestedAt in the request.'),
        restoredAt: timestamp().describe('Time when the restore was completed.'),
      })
      .optional()
      .describe('Last restore that was processed.'),
    earlierRestores: z
      .array(
        z.object({
          snapshot: z.string().describe('Name of the snapshot.'),
          requestedAt: z.string().optional().describe('Value of requestedAt in the request.'),
        }),
      )
      .max(MAX_EARLIER_RESTORES)
      .optional()
      .describe('Earlier restores, newest first: they are not processed again.'),
  })
  .describe('Database of the cluster.');
