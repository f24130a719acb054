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
    start: cron().describe('Cron expression with five fields for the start of the limits, such as "0 7 * * 1-5".'),
    end: cron().describe('Cron expression with five fields for the end of the limits, such as "0 20 * * 1-5".'),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
    minReplicas: bound('Minimum number of nodes during the schedule. Default: minReplicas of the pool.'),
    maxReplicas: bound('Maximum number of nodes during the schedule. Default: maxReplicas of the pool.'),
  })
  .describe('Limits that apply from each start to the next end.');

/** `spec.autoscaling.schedules` of a NodePool. */
export const boundsSchedules = z
  .array(schedule)
  .max(10)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
  .describe(
    'Scheduled limits. If several schedules apply at the same time, the last one in the list is used, for both limits.',
  );

const activeBoundsFields = {
  minReplicas: int32().min(0).max(999).describe('Minimum number of nodes.'),
  maxReplicas: int32().min(0).max(999).describe('Maximum number of nodes.'),
  schedule: z
    .string()
    .max(63)
    .optional()
    .describe("Name of the schedule that sets the limits. Empty: the pool's own limits."),
};

/** `status.bounds` of a NodePool, written by the pool's own controller. */
export const boundsStatus = z
  .object({
    ...activeBoundsFields,
    nextChange: z
      .object({ time: timestamp().describe('Time of the change.'), ...activeBoundsFields })
      .optional()
      .describe('Next change of the limits.'),
    problem: z.string().max(1024).optional().describe('Why a schedule is not applied.'),
  })
  .describe('Current limits of autoscaling, if spec.autoscaling.schedules changes them.');

export type BoundsSchedule = z.infer<typeof schedule>;
export type BoundsStatus = z.infer<typeof boundsStatus>;

interface ScheduledPool {
  readonly enabled: boolean;
  readonly schedules?: readonly Pick<BoundsSchedule, 'start' | 'end' | 'minReplicas' | 'maxReplicas'>[] | undefined;
}

interface AntiAffinityFields {
  readonly antiAffinity: boolean;
  readonly antiAffinityPolicy?: 'Hard' | 'Soft' | undefined;
}

interface BoundedPool extends AntiAffinityFields {
  readonly minReplicas: number;
  readonly maxReplicas?: number | undefined;
  readonly autoscaling: Pick<ScheduledPool, 'schedules'>;
}

/** Whether each node needs its own hypervisor. */
export function isHardAntiAffinity({ antiAffinity, antiAffinityPolicy }: AntiAffinityFields): boolean {
  return antiAffinity && antiAffinityPolicy !== 'Soft';
}

/** `isHardAntiAffinity` as a CEL expression evaluated at `spec`. */
export const IS_HARD_ANTI_AFFINITY =
  "(self.antiAffinity && (!has(self.antiAffinityPolicy) || self.antiAffinityPolicy != 'Soft'))";

/** Maximum number of nodes in a pool according to its own fields. */
export function upperBound(spec: AntiAffinityFields & Pick<BoundedPool, 'maxReplicas'>): number {
  return spec.maxReplicas ?? (isHardAntiAffinity(spec) ? 5 : 100);
}

const EACH_SCHEDULE = '!has(self.schedules) || self.schedules.all(each,';
const EACH_POOL_SCHEDULE = '!has(self.autoscaling.schedules) || self.autoscaling.schedules.all(each,';

export const BOUNDS_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<ScheduledPool>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: 'self.enabled || !has(self.schedules) || size(self.schedules) == 0',
    holds: ({ enabled, schedules = [] }) => enabled || schedules.length === 0,
    message: 'has no effect without autoscaling: set spec.autoscaling.enabled to true, or remove it',
  }),
  crossFieldRule<ScheduledPool>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH_SCHEDULE} has(each.minReplicas) || has(each.maxReplicas))`,
    holds: ({ schedules = [] }) =>
      schedules.every(({ minReplicas, maxReplicas }) => minReplicas !== undefined || maxReplicas !== undefined),
    message: 'has an item without effect: set minReplicas, maxReplicas, or both in each item',
  }),
  crossFieldRule<ScheduledPool>({
    path: 'spec.autoscaling',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH_SCHEDULE} each.start != each.end)`,
    holds: ({ schedules = [] }) => schedules.every(({ start, end }) => start !== end),
    message: 'has an item that ends when it starts: choose another end, or change the limits of the pool itself',
  }),
  crossFieldRule<BoundedPool>({
    path: 'spec',
    field: 'spec.autoscaling.schedules',
    cel: `${EACH_POOL_SCHEDULE} (has(each.minReplicas) ? each.minReplicas : self.minReplicas) <= (has(each.maxReplicas) ? each.maxReplicas : (has(self.maxReplicas) ? self.maxReplicas : (${IS_HARD_ANTI_AFFINITY} ? 5 : 100))))`,
    holds: (spec) =>
      (spec.autoscaling.schedules ?? []).every(
        ({ minReplicas, maxReplicas }) => (minReplicas ?? spec.minReplicas) <= (maxReplicas ?? upperBound(spec)),
      ),
    message:
      "has an item whose minReplicas is more than its maxReplicas (if only one is set, the pool's value is used for the other): lower it, or raise maxReplicas",
  }),
  crossFieldRule<BoundedPool>({
    path: 'spec',
    field: 'spec.autoscaling.schedules',
    cel: `!${IS_HARD_ANTI_AFFINITY} || ${EACH_POOL_SCHEDULE} !has(each.maxReplicas) || each.maxReplicas <= 5)`,
    holds: (spec) =>
      !isHardAntiAffinity(spec) ||
      (spec.autoscaling.schedules ?? []).every(({ maxReplicas }) => maxReplicas === undefined || maxReplicas <= 5),
    message:
      'has an item with more than 5 nodes, but antiAffinity requires a hypervisor for each: spread the nodes over several pools, or set antiAffinityPolicy to Soft',
  }),
];
