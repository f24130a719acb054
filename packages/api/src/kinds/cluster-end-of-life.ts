import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { plannedUpgrade } from './forced-upgrade.ts';

export const endOfLifeStatus = z
  .object({
    minor: z.string().max(8).describe('The minor version that the cluster runs.'),
    date: z.string().max(10).optional().describe('Day of its end, as it was told; absent if it has ended without one.'),
    notice: int32().min(0).max(30).describe('The last notice, in days before the end: 30, 7, 1; 0: it has ended.'),
    noticeTime: timestamp().describe('When that notice was given.'),
    upgrade: plannedUpgrade.optional(),
  })
  .describe('What the cluster was told of the end of its minor version, so that each notice is given once.');

export type EndOfLifeStatus = z.infer<typeof endOfLifeStatus>;
