import { z } from 'zod';
import { duration, int32, timestamp } from '../schema/scalars.ts';
import { boundsSchedules } from './pool-bounds.ts';

/** `spec.autoscaling` of a NodePool. */
export const autoscalingSpec = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether the pool follows the need. spec.replicas is then its first size alone; status.autoscaling.replicas is the present one.',
      ),
    priority: int32()
      .min(-1000)
      .max(1000)
      .default(0)
      .describe(
        'Which pool grows when nodes of several would do: the one with the highest, and among equals the one whose new nodes waste the least.',
      ),
    scaleDownUtilizationThreshold: z
      .string()
      .max(5)
      .regex(/^(0(\.[0-9]{1,3})?|1(\.0{1,3})?)$/, 'must be a share between 0 and 1, such as "0.5"')
      .default('0.5')
      .describe('Share of a node that must be in use, by requests, for the node to stay.'),
    scaleDownUnneededTime: duration().default('10m').describe('How long a node is unneeded before it goes.'),
    scaleDownUnreadyTime: duration().default('20m').describe('How long an unready node is unneeded before it goes.'),
    schedules: boundsSchedules,
  })
  .describe('Autoscaling between minReplicas and maxReplicas, by what pods request.');

const word = (text: string) => z.string().max(1024).describe(text);

/** `status.autoscaling` of a NodePool, written by autoscaling alone. */
export const autoscalingStatus = z
  .object({
    replicas: int32().min(0).max(999).describe('Nodes that the pods need, within minReplicas and maxReplicas.'),
    reason: word('One CamelCase word for machines: why it is this many.'),
    message: word('A sentence for people.'),
    time: timestamp().describe('When the number was last changed.'),
    lastScaleUpTime: timestamp().optional().describe('When nodes were last added.'),
    lastScaleDownTime: timestamp().optional().describe('When nodes were last taken away.'),
    backoff: z
      .object({
        reason: word('One CamelCase word for machines; tells whose turn it is.'),
        message: word('A sentence for people.'),
        since: timestamp().describe('When the last nodes failed.'),
        until: timestamp().describe('When the pool is tried again.'),
        failures: int32().min(1).describe('How often in a row; each doubles the wait, from 5 to 30 minutes.'),
      })
      .optional()
      .describe('New nodes could not be had: other pools are tried meanwhile.'),
    hindrance: z
      .object({
        reason: word('One CamelCase word for machines; tells whose turn it is.'),
        message: word('A sentence for people.'),
      })
      .optional()
      .describe('Why the pool does not grow or shrink, although it should.'),
  })
  .describe('What autoscaling has decided, and why.');

export type AutoscalingStatus = z.infer<typeof autoscalingStatus>;
