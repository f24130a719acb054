import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** `status.image` of a NodePool: how `imageID` was resolved. */
export const poolImage = z
  .object({
    asked: z
      .string()
      .max(255)
      .optional()
      .describe(
        "Value of spec.image of the pool, or else of its cluster. Absent if neither sets an image, in which case the operator's default image is used.",
      ),
    earlierIDs: z
      .array(z.string().max(255))
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe(
        'IDs of the images to which the same name referred before. Nodes with these images are updated in the same way as for a new patch, not immediately.',
      ),
  })
  .describe('How the image of new nodes was chosen.');

/** `status.upgrade` of a NodePool. */
export const poolUpgrade = z
  .object({
    target: z
      .string()
      .max(64)
      .describe(
        'Identifies the target of the update: the version and a digest of image, flavor and root volume. The annotation fairway.dev/abort-upgrade with this value aborts the update.',
      ),
    strategy: z.enum(['InPlace', 'Rolling']).describe('How nodes are updated.'),
    state: z
      .enum(['Waiting', 'Running', 'Paused', 'Halted', 'Aborted', 'Complete'])
      .describe(
        'State of the update. Halted: new nodes do not become ready, so no further node is updated. Waiting: see reason.',
      ),
    total: int32().min(0).describe('Number of machines to update, including those that are already updated.'),
    done: int32().min(0).describe('Number of machines that are already updated or deleted.'),
    summary: z.string().max(64).describe('Progress as done/total, for human readers.'),
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe(
        'Machine-readable reason, in CamelCase, why the update is waiting; indicates who must act. Empty if the update is not waiting.',
      ),
    message: z.string().max(2048).optional().describe('Human-readable message.'),
    since: timestamp().optional().describe('Time since which the update has been waiting for this reason.'),
    startTime: timestamp().optional().describe('Time when the update of the first machine started.'),
    endTime: timestamp().optional().describe('Time when the update of the last machine finished.'),
    estimatedEndTime: timestamp()
      .optional()
      .describe(
        'Estimated end, if the remaining machines take as long as those that have been finished since the update last resumed.',
      ),
    pace: z
      .object({
        time: timestamp().describe('Time when the update last started or resumed.'),
        done: int32().min(0).describe('Number of machines that had been finished by that time.'),
        lastTime: timestamp().optional().describe('Time when a machine was most recently finished since then.'),
      })
      .optional()
      .describe('Basis of the estimate.'),
    retried: z
      .string()
      .max(256)
      .optional()
      .describe('Value of the annotation fairway.dev/retry-requested that was last processed.'),
    retriedTime: timestamp().optional().describe('Time of that retry; nodes that failed before it no longer count.'),
  })
  .describe('Progress of the update of the nodes.');

export type PoolImage = z.infer<typeof poolImage>;
export type PoolUpgrade = z.infer<typeof poolUpgrade>;
