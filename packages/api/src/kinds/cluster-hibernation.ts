import { z } from 'zod';
import { cron, requestTime, timestamp, timeZone } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

const schedule = z
  .object({
    hibernate: cron()
      .optional()
      .describe('Cron expression with five fields for hibernating the cluster, such as "0 20 * * 1-5".'),
    wake: cron()
      .optional()
      .describe('Cron expression with five fields for waking the cluster up, such as "0 7 * * 1-5".'),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
  })
  .describe(
    'Schedule for hibernating the cluster and waking it up. If both match the same time, the cluster wakes up.',
  );

/** `spec.hibernation` of a Cluster. */
export const hibernationSpec = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether the cluster should be hibernated. A change takes effect immediately. Schedules that match later override it until the next change, without changing this field.',
      ),
    requestedAt: requestTime()
      .optional()
      .describe(
        'A later time requests `enabled` again, even if `enabled` is unchanged, for example to override a schedule.',
      ),
    schedules: z
      .array(schedule)
      .max(10)
      .optional()
      .describe('Schedules for hibernation; the one that matched last applies.'),
  })
  .describe(
    'Hibernation of the cluster: a hibernated cluster has no nodes, and its control plane is stopped. Databases, volumes, load balancers, networks and addresses are kept, and the nodes are created again when the cluster wakes up.',
  );

const followed = z
  .object({
    enabled: z.boolean().describe('Value of spec.hibernation.enabled.'),
    requestedAt: z.string().max(35).optional().describe('Value of spec.hibernation.requestedAt.'),
    schedules: z.array(schedule).optional().describe('Value of spec.hibernation.schedules.'),
    time: timestamp().describe('Time when spec.hibernation was first processed; schedules apply from then on.'),
  })
  .describe('Values of spec.hibernation that were last processed, recorded to detect changes.');

/** `status.hibernation` of a Cluster. */
export const hibernationStatus = z
  .object({
    wanted: z
      .boolean()
      .describe(
        'Whether the cluster should be hibernated, according to the latest of spec.hibernation.enabled and its schedules.',
      ),
    wantedSince: timestamp().describe('Time since which `wanted` has had this value.'),
    hibernated: z
      .boolean()
      .describe('Whether the cluster is hibernated: it has no nodes and its control plane is stopped.'),
    since: timestamp().optional().describe('Time when the cluster was hibernated.'),
    next: z
      .object({
        hibernate: timestamp().optional().describe('Time when a schedule will next hibernate the cluster.'),
        wake: timestamp().optional().describe('Time when a schedule will next wake the cluster up.'),
      })
      .optional()
      .describe('Next scheduled changes.'),
    followed: followed.optional(),
  })
  .describe('Observed state of hibernation.');

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
    message: 'has an item without effect: set hibernate, wake, or both in each item',
  }),
];
