import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, isDurationCel, kubernetesVersion, timestamp } from '../schema/scalars.ts';
import { crossFieldRule } from './kind.ts';

const MAX_EXEMPT_ENTRIES = 200;
const MAX_GRACE_PERIOD = '8760h';
const MIN_NOTICE = '24h';
const MAX_NOTICE = '2160h';

export const forcedUpgradeSpec = z
  .object({
    gracePeriod: duration()
      .default('336h')
      .describe(
        'Duration after endOfLife for which clusters can stay on the version; at most 8760h. With phaseOverride EndOfLife, it starts with the notice to the cluster.',
      ),
    notice: duration()
      .default('336h')
      .describe(
        'Minimum notice before a forced upgrade, even if this delays the upgrade beyond the grace period; from 24h to 2160h.',
      ),
    exempt: z
      .array(
        z.object({
          namespace: z.string().min(1).max(63).describe('Namespace of the clusters.'),
          name: z
            .string()
            .min(1)
            .max(253)
            .optional()
            .describe('Name of a single Cluster. Default: all Clusters in the namespace.'),
        }),
      )
      .max(MAX_EXEMPT_ENTRIES)
      .default([])
      .describe('Clusters that are exempt from forced upgrades.'),
  })
  .describe(
    'Forced upgrade to the next minor version for clusters that still run this minor version after its end of life, in their maintenance windows and at the pace of `rollout`. Default: disabled.',
  );

export const FORCED_UPGRADE_RULES = [
  boundsRule('gracePeriod', undefined, MAX_GRACE_PERIOD),
  boundsRule('notice', MIN_NOTICE, MAX_NOTICE),
];

function boundsRule(name: 'gracePeriod' | 'notice', min: string | undefined, max: string) {
  const lowerBound = min === undefined ? '' : ` && duration(self.${name}) >= duration('${min}')`;
  return crossFieldRule<{ readonly gracePeriod: string; readonly notice: string }>({
    path: 'spec.forcedUpgrade',
    field: `spec.forcedUpgrade.${name}`,
    cel: `!${isDurationCel(`self.${name}`)} || (duration(self.${name}) <= duration('${max}')${lowerBound})`,
    holds: ({ [name]: value }) =>
      durationMs(value) <= durationMs(max) && (min === undefined || durationMs(value) >= durationMs(min)),
    message: min === undefined ? `must be at most ${max}` : `must be from ${min} to ${max}`,
  });
}

/** Announced in a Cluster's `status.endOfLife`. */
export const plannedUpgrade = z
  .object({
    to: z.string().max(8).describe('Target minor version.'),
    time: timestamp().describe('Earliest time when the upgrade starts.'),
  })
  .describe(
    'Planned automatic upgrade of the cluster if it still runs the minor version by then. Absent if none is planned.',
  );

export const forcedUpgradeStatus = z
  .object({
    from: kubernetesVersion().describe('Exact version that the control plane ran before the upgrade.'),
    to: kubernetesVersion().describe('Exact target version.'),
    time: timestamp().describe('Time when the upgrade was decided.'),
    asked: kubernetesVersion()
      .optional()
      .describe(
        'Value of spec.version at that time, if it was an older version. While it is unchanged, the cluster follows the minor version of `to`.',
      ),
  })
  .describe('Forced upgrade of the cluster because its minor version reached its end of life.');

export type ForcedUpgradeSettings = z.infer<typeof forcedUpgradeSpec>;
export type PlannedUpgrade = z.infer<typeof plannedUpgrade>;
export type ForcedUpgradeStatus = z.infer<typeof forcedUpgradeStatus>;
