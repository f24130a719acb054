import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, int32, isDurationCel, timestamp } from '../schema/scalars.ts';
import { crossFieldRule } from './kind.ts';

/** Limits the size of `status.rollout.moving`. */
const MAX_CONCURRENT_CLUSTERS = 100;

export const rolloutSpec = z
  .object({
    maxConcurrent: int32()
      .min(1)
      .max(MAX_CONCURRENT_CLUSTERS)
      .default(20)
      .describe('Maximum number of clusters that are updated at the same time.'),
    maxPercent: int32()
      .min(1)
      .max(100)
      .default(10)
      .describe(
        'Maximum percentage of the clusters that follow the version that are updated at the same time; at least one cluster.',
      ),
    canarySelector: z
      .object({
        matchLabels: z
          .record(z.string(), z.string().max(63))
          .describe('Labels and their values that a Cluster must have.'),
      })
      .optional()
      .describe(
        'Clusters that are updated first; all other clusters wait until these are ready. One failure stops the rollout.',
      ),
    maxFailures: int32()
      .min(1)
      .max(MAX_CONCURRENT_CLUSTERS)
      .default(1)
      .describe('Number of failed clusters at which the rollout stops: no further cluster is updated.'),
    timeout: duration()
      .default('15m')
      .describe(
        'Maximum time for a cluster to run the patch and be ready once its update has started; at least 1m. Time during which Fairway could not read or write objects does not count.',
      ),
    paused: z.boolean().default(false).describe('Whether the rollout is paused: no further cluster is updated.'),
  })
  .describe(
    'Rollout of a new patch to the clusters that follow it according to their updatePolicy; also sets the pace of forcedUpgrade. Exact versions requested by users do not wait for the rollout.',
  );

export const ROLLOUT_RULES = [
  crossFieldRule<{ readonly timeout: string }>({
    path: 'spec.rollout',
    field: 'spec.rollout.timeout',
    cel: `!${isDurationCel('self.timeout')} || duration(self.timeout) >= duration('1m')`,
    holds: ({ timeout }) => durationMs(timeout) >= 60_000,
    message: 'must be at least 1m',
  }),
];

const rolloutCluster = z.object({
  namespace: z.string().max(63).describe('Namespace of the Cluster.'),
  name: z.string().max(253).describe('Name of the Cluster.'),
  uid: z.string().max(36).describe('UID of the Cluster.'),
  since: timestamp().describe('Time when the rollout reached the cluster.'),
});

const movingCluster = rolloutCluster.extend({
  begun: timestamp()
    .optional()
    .describe(
      'Time when the update was seen to have started: spec.rollout.timeout counts from then. Absent: the update has not started; if it does not start within that time, the cluster is skipped.',
    ),
});

export const rolloutStatus = z
  .object({
    version: z.string().max(16).describe('Target version of the rollout.'),
    state: z
      .enum(['Canaries', 'Rolling', 'Halted', 'Paused', 'Complete'])
      .describe('State of the rollout. Halted: stopped after failures. Paused: stopped by spec.rollout.paused.'),
    summary: z.string().max(64).describe('Progress in a few words.'),
    total: int32().describe('Number of clusters that follow the newest patch.'),
    updated: int32().describe('Number of these clusters that run the patch.'),
    waiting: int32().describe('Number of these clusters that the rollout has not reached.'),
    paused: int32()
      .optional()
      .describe('Number of these clusters that are paused (annotation fairway.dev/paused) and not updated.'),
    moving: z.array(movingCluster).max(MAX_CONCURRENT_CLUSTERS).describe('Clusters that the rollout has reached.'),
    failed: z
      .array(rolloutCluster.extend({ message: z.string().max(512).describe('Message of the cluster at that time.') }))
      .max(2 * MAX_CONCURRENT_CLUSTERS)
      .describe('Clusters that did not become ready in time.'),
    retried: z
      .string()
      .max(256)
      .optional()
      .describe('Value of the annotation fairway.dev/retry-requested that was last processed.'),
  })
  .describe('Progress of the rollout of the newest patch. Clusters in `moving` are being updated.');

export type RolloutSettings = z.infer<typeof rolloutSpec>;
export type RolloutStatus = z.infer<typeof rolloutStatus>;
