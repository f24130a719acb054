import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, isDurationCel, timestamp, timeZone } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

/** In cron's order, which starts with Sunday. */
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Long enough to spend ten minutes draining a node and then reinstall it. */
const MIN_WINDOW_DURATION = '30m';
/**
 * A day has 23 hours when daylight saving time begins. With this maximum, windows on consecutive days never overlap.
 */
const MAX_WINDOW_DURATION = '23h';

const maintenanceWindow = z
  .object({
    days: z
      .array(z.enum(DAYS))
      .max(7)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe('Days on which a window starts, in its time zone. Default: every day.'),
    start: z
      .string()
      .max(5)
      .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of the day such as 02:30, from 00:00 to 23:59')
      .describe(
        'Time of day when the window starts. If the clocks skip this time (start of daylight saving time), the window starts right after the skipped hour; if they repeat it, the window starts the first time.',
      ),
    duration: duration()
      .default('1h')
      .describe(
        `Duration of the window, from ${MIN_WINDOW_DURATION} to ${MAX_WINDOW_DURATION}; it may end on the next day.`,
      ),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
  })
  .describe('Window in which non-urgent work may start. Work in progress is finished even after the window ends.');

/** `spec.maintenance` of a Cluster. */
export const maintenanceSpec = z
  .object({
    window: maintenanceWindow.optional(),
    confineSpecChanges: z
      .boolean()
      .default(false)
      .describe(
        'Whether a new value of spec.version also waits for the window. By default it takes effect immediately.',
      ),
  })
  .describe('When Fairway may do non-urgent work, such as installing a new patch. Default: at any time.');

/** `status.maintenance` of a Cluster. */
export const maintenanceStatus = z
  .object({
    window: z
      .object({
        start: timestamp().describe('Time when the window starts or started.'),
        end: timestamp().describe('Time when the window ends.'),
      })
      .optional()
      .describe('Current or next window.'),
    requested: z
      .string()
      .max(256)
      .optional()
      .describe('Value of the annotation fairway.dev/maintenance-requested that was last processed.'),
    requestedUntil: timestamp().optional().describe('Time until which this request keeps a window open.'),
  })
  .describe('Maintenance windows of the cluster.');

export type MaintenanceWindow = z.infer<typeof maintenanceWindow>;
export type MaintenanceStatus = z.infer<typeof maintenanceStatus>;

const isDuration = isDurationCel('self.duration');

export const MAINTENANCE_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<MaintenanceWindow>({
    path: 'spec.maintenance.window',
    field: 'spec.maintenance.window.duration',
    cel: `!${isDuration} || (duration(self.duration) >= duration('${MIN_WINDOW_DURATION}') && duration(self.duration) <= duration('${MAX_WINDOW_DURATION}'))`,
    holds: ({ duration }) =>
      durationMs(duration) >= durationMs(MIN_WINDOW_DURATION) &&
      durationMs(duration) <= durationMs(MAX_WINDOW_DURATION),
    message: `must be at least ${MIN_WINDOW_DURATION}, so that a node can be drained and updated in it, and at most ${MAX_WINDOW_DURATION}, so that it ends before the next one starts`,
  }),
  crossFieldRule<{ readonly confineSpecChanges: boolean; readonly window?: unknown }>({
    path: 'spec.maintenance',
    field: 'spec.maintenance.confineSpecChanges',
    cel: '!self.confineSpecChanges || has(self.window)',
    holds: ({ confineSpecChanges, window }) => !confineSpecChanges || window !== undefined,
    message: 'requires window, which changes of the spec wait for: set it, or remove confineSpecChanges',
  }),
];
