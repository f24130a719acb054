import { z } from 'zod';
import { cron, int32, timestamp, timeZone } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

const bound = (text: string) => int32().min(0).max(999).optional().describe(text);

const schedule = z
  .object({
    name: z
      .string()
      .max(63)
      .regex(
        /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
        'must be lowercase letters, digits and "-", such as "office-hours"',
      )
      .describe('Name of the schedule, unique in the pool.'),
    start: cron().describe('When the bounds begin to hold, in five fields of cron: "0 7 * * 1-5".'),
    end: cron().describe('When they end, in five fields of cron: "0 20 * * 1-5".'),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
    minReplicas: bound("Fewest nodes meanwhile. Empty: the pool's."),
    maxReplicas: bound("Most nodes meanwhile. Empty: the pool's."),
  })
  .describe('Bounds that hold from start to end, each time.');

/** `spec.autoscaling.schedules` of a NodePool. */
export const boundsSchedules = z
  .array(schedule)
  .max(10)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
  .describe(
    'Other bounds at some times. Of schedules that hold at the same time, the last one in the list counts, with both of its bounds.',
  );

const inForce = {
  minReplicas: int32().min(0).max(999).describe('Fewest nodes.'),
  maxReplicas: int32().min(0).max(999).describe('Most nodes.'),
  schedule: z.string().max(63).optional().describe("Schedule that they come from. Empty: the pool's own."),
};

/** `status.bounds` of a NodePool, written by its own controller. */
export const boundsStatus = z
  .object({
    ...inForce,
    nextChange: z
      .object({ time: timestamp().describe('When.'), ...inForce })
      .optional()
      .describe('Which bounds come next.'),
    problem: z.string().max(1024).optional().describe('Why a schedule is not followed.'),
  })
  .describe('Bounds of autoscaling that hold now, where spec.autoscaling.schedules changes them.');

export type BoundsSchedule = z.infer<typeof schedule>;
export type BoundsStatus = z.infer<typeof boundsStatus>;

interface Scheduled {
  readonly enabled: boolean;
  readonly schedules?: readonly Pick<BoundsSchedule, 'start' | 'end' | 'minReplicas' | 'maxReplicas'>[] | undefined;
}

interface Bounded {
  readonly minReplicas: number;
  readonly maxReplicas?: number | undefined;
  readonly antiAffinity: boolean;
  readonly autoscaling: Pick<Scheduled, 'schedules'>;
}

/** Most nodes of a pool by itself. */
export function upperBound(spec: Pick<Bounded, 'maxReplicas' | 'antiAffinity'>): number {
  return spec.maxReplicas ?? (spec.antiAffinity ? 5 : 100);
}

const EACH = '!has(self.schedules) || self.schedules.all(each,';
const EACH_OF_POOL = '!has(self.autoscaling.schedules) || self.autoscaling.schedules.all(each,';

export const BOUNDS_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<Scheduled>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: 'self.enabled || !has(self.schedules) || size(self.schedules) == 0',
    holds: ({ enabled, schedules = [] }) => enabled || schedules.length === 0,
    message: 'are bounds of autoscaling, which is off: set spec.autoscaling.enabled to true, or leave them out',
  }),
  crossFieldRule<Scheduled>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH} has(each.minReplicas) || has(each.maxReplicas))`,
    holds: ({ schedules = [] }) =>
      schedules.every(({ minReplicas, maxReplicas }) => minReplicas !== undefined || maxReplicas !== undefined),
    message: 'has an item that does nothing: give each of them minReplicas, maxReplicas, or both',
  }),
  crossFieldRule<Scheduled>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH} each.start != each.end)`,
    holds: ({ schedules = [] }) => schedules.every(({ start, end }) => start !== end),
    message: 'has an item that ends when it starts: give it another end, or change the bounds of the pool itself',
  }),
  crossFieldRule<Bounded>({
    path: 'spec',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH_OF_POOL} (has(each.minReplicas) ? each.minReplicas : self.minReplicas) <= (has(each.maxReplicas) ? each.maxReplicas : (has(self.maxReplicas) ? self.maxReplicas : (self.antiAffinity ? 5 : 100))))`,
    holds: (spec) =>
      (spec.autoscaling.schedules ?? []).every(
        ({ minReplicas, maxReplicas }) => (minReplicas ?? spec.minReplicas) <= (maxReplicas ?? upperBound(spec)),
      ),
    message:
      "has an item whose minReplicas is more than its maxReplicas (where it has one of them alone, the other is the pool's): lower it, or raise maxReplicas",
  }),
  crossFieldRule<Bounded>({
    path: 'spec',
    field: 'spec.autoscaling.schedules',
    cel: `!self.antiAffinity || ${EACH_OF_POOL} !has(each.maxReplicas) || each.maxReplicas <= 5)`,
    holds: (spec) =>
      !spec.antiAffinity ||
      (spec.autoscaling.schedules ?? []).every(({ maxReplicas }) => maxReplicas === undefined || maxReplicas <= 5),
    message:
      'has an item with more than 5 nodes, and antiAffinity needs a hypervisor for each: spread the nodes over several pools',
  }),
];
