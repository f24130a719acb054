import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { plannedUpgrade } from './forced-upgrade.ts';

export const endOfLifeStatus = z
  .object({
    minor: z.string().max(8).describe('Minor version that the cluster runs.'),
    date: z
      .string()
      .max(10)
      .optional()
      .describe('End-of-life date in the last notice. Absent if the version reached its end of life without a date.'),
    notice: int32()
      .min(0)
      .max(30)
      .describe(
        'Last notice, in days before the end of life: 30, 7 or 1, or 0 if the version has reached its end of life.',
      ),
    noticeTime: timestamp().describe('Time of the last notice.'),
    upgrade: plannedUpgrade.optional(),
  })
  .describe('End-of-life notices that the cluster has received, recorded so that each notice is given only once.');

export type EndOfLifeStatus = z.infer<typeof endOfLifeStatus>;
