import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** `status.image` of a NodePool: where `imageID` came from. */
export const poolImage = z
  .object({
    asked: z
      .string()
      .max(255)
      .optional()
      .describe("What spec.image of the pool, or else of its cluster, named. Empty: the operator's default."),
    earlierIDs: z
      .array(z.string().max(255))
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Images that the same name stood for before. Nodes of them are renewed as a patch is, not at once.'),
  })
  .describe('What the image of new nodes was chosen by.');

/** `status.upgrade` of a NodePool. */
export const poolUpgrade = z
  .object({
    target: z
      .string()
      .max(64)
      .describe(
        'Names what machines are renewed to: the version, and a digest of image, flavor and root volume. The annotation fairway.dev/abort-upgrade has this value to abort it.',
      ),
    strategy: z.enum(['InPlace', 'Rolling']).describe('How nodes are renewed.'),
    state: z
      .enum(['Waiting', 'Running', 'Paused', 'Halted', 'Aborted', 'Complete'])
      .describe('Halted: new nodes do not become ready, so no further node is taken. Waiting: see reason.'),
    total: int32().min(0).describe('Machines to renew, those that are done included.'),
    done: int32().min(0).describe('Machines that have been renewed, or are gone.'),
    summary: z.string().max(64).describe('done/total, for people.'),
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe('What it waits for, in one CamelCase word; tells whose turn it is. Empty: it goes on.'),
    message: z.string().max(2048).optional().describe('The same as a sentence for people.'),
    since: timestamp().optional().describe('Since when it waits for that.'),
    startTime: timestamp().optional().describe('When the first machine was taken.'),
    endTime: timestamp().optional().describe('When the last machine was done.'),
    estimatedEndTime: timestamp()
      .optional()
      .describe('When it is done if the others take as long as those that are done, since it last went on.'),
    pace: z
      .object({
        time: timestamp().describe('When it last began or went on.'),
        done: int32().min(0).describe('Machines that were done then.'),
        lastTime: timestamp().optional().describe('When the last machine was done since.'),
      })
      .optional()
      .describe('What the estimate is made from.'),
    retried: z
      .string()
      .max(256)
      .optional()
      .describe('Value of the annotation fairway.dev/retry-requested that was followed last.'),
    retriedTime: timestamp().optional().describe('When that was; nodes that failed before count no more.'),
  })
  .describe('How far the renewal of the nodes is.');

export type PoolImage = z.infer<typeof poolImage>;
export type PoolUpgrade = z.infer<typeof poolUpgrade>;
