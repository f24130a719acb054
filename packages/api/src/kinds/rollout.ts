import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, int32, isDurationCel, timestamp } from '../schema/scalars.ts';
import { crossFieldRule } from './kind.ts';

/** Bounds `status.rollout.moving`. */
const MAX_CONCURRENT = 100;

export const rolloutSpec = z
  .object({
    maxConcurrent: int32().min(1).max(MAX_CONCURRENT).default(20).describe('Most clusters that are updated at a time.'),
    maxPercent: int32()
      .min(1)
      .max(100)
      .default(10)
      .describe('Most clusters that are updated at a time, in percent of those that follow; at least one.'),
    canarySelector: z
      .object({
        matchLabels: z
          .record(z.string(), z.string().max(63))
          .describe('Labels that a Cluster must have, with these values.'),
      })
      .optional()
      .describe(
        'Clusters that are updated first; all others wait until those are ready. One that fails stops the rollout.',
      ),
    maxFailures: int32()
      .min(1)
      .max(MAX_CONCURRENT)
      .default(1)
      .describe('Failed clusters at which the rollout stops: no further cluster begins.'),
    timeout: duration()
      .default('15m')
      .describe(
        'How long a cluster that has begun may take to run the patch and be ready, before it has failed; at least 1m. Time in which no Fairway could look or write does not count.',
      ),
    paused: z.boolean().default(false).describe('Whether no further cluster begins.'),
  })
  .describe(
    'How a new patch reaches the clusters that follow it by their updatePolicy, and at what pace forcedUpgrade goes. What a user asks for by an exact version does not wait.',
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
  since: timestamp().describe('When its turn began.'),
});

const movingCluster = rolloutCluster.extend({
  begun: timestamp()
    .optional()
    .describe(
      'When it was seen to have begun: spec.rollout.timeout counts from then. Empty: it has not, and gives its turn back after that time.',
    ),
});

export const rolloutStatus = z
  .object({
    version: z.string().max(16).describe('What is being rolled out.'),
    state: z
      .enum(['Canaries', 'Rolling', 'Halted', 'Paused', 'Complete'])
      .describe('Halted: stopped after failures. Paused: by spec.rollout.paused.'),
    summary: z.string().max(64).describe('How far it is, in a few words.'),
    total: int32().describe('Clusters that follow the newest patch.'),
    updated: int32().describe('Those that run it.'),
    waiting: int32().describe('Those whose turn has not come.'),
    paused: int32()
      .optional()
      .describe('How many of those are paused (annotation fairway.dev/paused), which nobody updates.'),
    moving: z.array(movingCluster).max(MAX_CONCURRENT).describe('Clusters whose turn it is.'),
    failed: z
      .array(rolloutCluster.extend({ message: z.string().max(512).describe('What it said then.') }))
      .max(2 * MAX_CONCURRENT)
      .describe('Clusters that did not become ready in time.'),
    retried: z
      .string()
      .max(256)
      .optional()
      .describe('The value of the annotation fairway.dev/retry-requested that was followed last.'),
  })
  .describe('How far the newest patch has come. Clusters that are in `moving` take it.');

export type RolloutSettings = z.infer<typeof rolloutSpec>;
export type RolloutStatus = z.infer<typeof rolloutStatus>;
