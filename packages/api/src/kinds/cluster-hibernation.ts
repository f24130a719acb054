import { z } from 'zod';
import { cron, requestTime, timestamp, timeZone } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

const schedule = z
  .object({
    hibernate: cron().optional().describe('When the cluster hibernates, in five fields of cron: "0 20 * * 1-5".'),
    wake: cron().optional().describe('When it wakes, in five fields of cron: "0 7 * * 1-5".'),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
  })
  .describe('When a cluster hibernates and wakes. At the same time, it wakes.');

/** `spec.hibernation` of a Cluster. */
export const hibernationSpec = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether the cluster is to be hibernated. A change is followed at once; a schedule that comes later counts until the next change, and leaves this field as it is.',
      ),
    requestedAt: requestTime()
      .optional()
      .describe('A later time asks for `enabled` once more, also where it is as it was: after a schedule.'),
    schedules: z.array(schedule).max(10).optional().describe('Schedules, of which the one that came last counts.'),
  })
  .describe(
    'Hibernation: no nodes, and a control plane that rests. Databases, volumes, load balancers, networks and addresses are kept, and the nodes come back when the cluster wakes.',
  );

const followed = z
  .object({
    enabled: z.boolean().describe('spec.hibernation.enabled.'),
    requestedAt: z.string().max(35).optional().describe('spec.hibernation.requestedAt.'),
    schedules: z.array(schedule).optional().describe('spec.hibernation.schedules.'),
    time: timestamp().describe('When it was first followed; schedules count from then on.'),
  })
  .describe('What of spec.hibernation was followed last, to tell a change.');

/** `status.hibernation` of a Cluster. */
export const hibernationStatus = z
  .object({
    wanted: z
      .boolean()
      .describe(
        'Whether the cluster is to be hibernated: by spec.hibernation.enabled or its schedules, whichever came last.',
      ),
    wantedSince: timestamp().describe('Since when.'),
    hibernated: z.boolean().describe('Whether it is hibernated: no nodes are left, and the control plane rests.'),
    since: timestamp().optional().describe('Since when it is hibernated.'),
    next: z
      .object({
        hibernate: timestamp().optional().describe('When a schedule hibernates it.'),
        wake: timestamp().optional().describe('When a schedule wakes it.'),
      })
      .optional()
      .describe('What its schedules do next.'),
    followed: followed.optional(),
  })
  .describe('Whether the cluster is hibernated, and what comes next.');

export type HibernationSpec = z.infer<typeof hibernationSpec>;
export type HibernationSchedule = z.infer<typeof schedule>;
export type HibernationStatus = z.infer<typeof hibernationStatus>;

export const HIBERNATION_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<HibernationSpec>({
    path: 'spec.hibernation',
    field: 'spec.hibernation.schedules',
    cel: '!has(self.schedules) || self.schedules.all(each, has(each.hibernate) || has(each.wake))',
    holds: ({ schedules = [] }) =>
      schedules.every(({ hibernate, wake }) => hibernate !== undefined || wake !== undefined),
    message: 'has an item that does nothing: give each of them hibernate, wake, or both',
  }),
];
