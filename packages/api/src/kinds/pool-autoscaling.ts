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
        'Whether autoscaling is enabled. spec.replicas is then only the initial size; status.autoscaling.replicas is the current size.',
      ),
    priority: int32()
      .min(-1000)
      .max(1000)
      .default(0)
      .describe(
        'Priority of the pool when nodes of several pools would fit: the pool with the highest priority grows; among pools with the same priority, the pool whose new nodes would waste the fewest resources grows.',
      ),
    scaleDownUtilizationThreshold: z
      .string()
      .max(5)
      .regex(/^(0(\.[0-9]{1,3})?|1(\.0{1,3})?)$/, 'must be a number between 0 and 1, such as "0.5"')
      .default('0.5')
      .describe("Fraction of a node's resources that pods must request for the node to be kept."),
    scaleDownUnneededTime: duration()
      .default('10m')
      .describe('Duration for which a node must be unneeded before it is deleted.'),
    scaleDownUnreadyTime: duration()
      .default('20m')
      .describe('Duration for which an unready node must be unneeded before it is deleted.'),
    schedules: boundsSchedules,
  })
  .describe('Autoscaling between minReplicas and maxReplicas, based on the resource requests of pods.');

const word = (text: string) => z.string().max(1024).describe(text);

/** `status.autoscaling` of a NodePool, written only by the autoscaler. */
export const autoscalingStatus = z
  .object({
    replicas: int32()
      .min(0)
      .max(999)
      .describe('Number of nodes that the pods need, within minReplicas and maxReplicas.'),
    reason: word('Machine-readable reason in CamelCase for this number.'),
    message: word('Human-readable message.'),
    time: timestamp().describe('Time of the last change of the number.'),
    lastScaleUpTime: timestamp().optional().describe('Time when nodes were last added.'),
    lastScaleDownTime: timestamp().optional().describe('Time when nodes were last removed.'),
    backoff: z
      .object({
        reason: word('Machine-readable reason in CamelCase; indicates who must act.'),
        message: word('Human-readable message.'),
        since: timestamp().describe('Time when new nodes last failed.'),
        until: timestamp().describe('Time when the pool will be retried.'),
        failures: int32()
          .min(1)
          .describe(
            'Number of consecutive failures; each failure doubles the back-off, from 5 minutes up to 30 minutes.',
          ),
      })
      .optional()
      .describe('Back-off after new nodes could not be created; other pools are tried in the meantime.'),
    hindrance: z
      .object({
        reason: word('Machine-readable reason in CamelCase; indicates who must act.'),
        message: word('Human-readable message.'),
      })
      .optional()
      .describe('Why the pool does not grow or shrink although it should.'),
  })
  .describe('Decisions of autoscaling, and their reasons.');

export type AutoscalingStatus = z.infer<typeof autoscalingStatus>;
