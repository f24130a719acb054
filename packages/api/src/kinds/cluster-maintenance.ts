import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, isDurationCel, timestamp, timeZone } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

/** In the order of cron, which counts from Sunday. */
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Shorter, and a node that drains for its ten minutes and is installed again would not fit. */
const SHORTEST = '30m';
/** A day of 23 hours begins daylight saving time: windows of two days never meet. */
const LONGEST = '23h';

const maintenanceWindow = z
  .object({
    days: z
      .array(z.enum(DAYS))
      .max(7)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe('Days on which a window begins, in its time zone. Empty: every day.'),
    start: z
      .string()
      .max(5)
      .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of the day such as 02:30, from 00:00 to 23:59')
      .describe(
        'When it begins. In the hour that clocks skip: when they go on. In the hour that they repeat: the first time.',
      ),
    duration: duration()
      .default('1h')
      .describe(`How long it is, from ${SHORTEST} to ${LONGEST}; it may end on the next day.`),
    timeZone: timeZone().default('UTC').describe('Time zone of the IANA database, such as Europe/Berlin.'),
  })
  .describe('When what is not urgent may begin. What has begun is finished, also after its end.');

/** `spec.maintenance` of a Cluster. */
export const maintenanceSpec = z
  .object({
    window: maintenanceWindow.optional(),
    confineSpecChanges: z
      .boolean()
      .default(false)
      .describe('Whether a version that spec.version asks for waits for the window too. By default it begins at once.'),
  })
  .describe('When Fairway may do what is not urgent, such as taking a new patch. Empty: at any time.');

/** `status.maintenance` of a Cluster. */
export const maintenanceStatus = z
  .object({
    window: z
      .object({
        start: timestamp().describe('When it begins, or has begun.'),
        end: timestamp().describe('When it ends.'),
      })
      .optional()
      .describe('The window that is open, or the one that opens next.'),
    requested: z
      .string()
      .max(256)
      .optional()
      .describe('The value of the annotation fairway.dev/maintenance-requested that was followed last.'),
    requestedUntil: timestamp().optional().describe('Until when that request keeps a window open.'),
  })
  .describe('When what is not urgent may begin.');

export type MaintenanceWindow = z.infer<typeof maintenanceWindow>;
export type MaintenanceStatus = z.infer<typeof maintenanceStatus>;

const isDuration = isDurationCel('self.duration');

export const MAINTENANCE_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<MaintenanceWindow>({
    path: 'spec.maintenance.window',
    field: 'spec.maintenance.window.duration',
    cel: `!${isDuration} || (duration(self.duration) >= duration('${SHORTEST}') && duration(self.duration) <= duration('${LONGEST}'))`,
    holds: ({ duration }) =>
      durationMs(duration) >= durationMs(SHORTEST) && durationMs(duration) <= durationMs(LONGEST),
    message: `must be from ${SHORTEST}, so that a node can be drained and renewed in it, to ${LONGEST}, so that it ends before the next one begins`,
  }),
  crossFieldRule<{ readonly confineSpecChanges: boolean; readonly window?: unknown }>({
    path: 'spec.maintenance',
    field: 'spec.maintenance.confineSpecChanges',
    cel: '!self.confineSpecChanges || has(self.window)',
    holds: ({ confineSpecChanges, window }) => !confineSpecChanges || window !== undefined,
    message: 'needs window, which changes of the spec are to wait for: set it, or leave confineSpecChanges out',
  }),
];
