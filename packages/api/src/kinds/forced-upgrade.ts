import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, isDurationCel, kubernetesVersion, timestamp } from '../schema/scalars.ts';
import { crossFieldRule } from './kind.ts';

const MAX_EXEMPT = 200;
const MAX_GRACE_PERIOD = '8760h';
const MIN_NOTICE = '24h';
const MAX_NOTICE = '2160h';

export const forcedUpgradeSpec = z
  .object({
    gracePeriod: duration()
      .default('336h')
      .describe(
        'How long after endOfLife clusters may stay; 8760h at most. With phaseOverride EndOfLife it counts from when they were told.',
      ),
    notice: duration()
      .default('336h')
      .describe(
        'How long beforehand a cluster is told at least, also where that comes to a later time than the grace period: from 24h to 2160h.',
      ),
    exempt: z
      .array(
        z.object({
          namespace: z.string().min(1).max(63).describe('Namespace of the clusters.'),
          name: z.string().min(1).max(253).optional().describe('Name of one Cluster. Empty: all of the namespace.'),
        }),
      )
      .max(MAX_EXEMPT)
      .default([])
      .describe('Clusters that nobody upgrades by force.'),
  })
  .describe(
    'Clusters that still run the minor version after its end of life get the next one, without being asked, in their maintenance windows and at the pace of rollout. Empty: nobody does that.',
  );

export const FORCED_UPGRADE_RULES = [
  boundsRule('gracePeriod', undefined, MAX_GRACE_PERIOD),
  boundsRule('notice', MIN_NOTICE, MAX_NOTICE),
];

function boundsRule(name: 'gracePeriod' | 'notice', min: string | undefined, max: string) {
  const least = min === undefined ? '' : ` && duration(self.${name}) >= duration('${min}')`;
  return crossFieldRule<{ readonly gracePeriod: string; readonly notice: string }>({
    path: 'spec.forcedUpgrade',
    field: `spec.forcedUpgrade.${name}`,
    cel: `!${isDurationCel(`self.${name}`)} || (duration(self.${name}) <= duration('${max}')${least})`,
    holds: ({ [name]: value }) =>
      durationMs(value) <= durationMs(max) && (min === undefined || durationMs(value) >= durationMs(min)),
    message: min === undefined ? `must be at most ${max}` : `must be from ${min} to ${max}`,
  });
}

/** Told beforehand, in `status.endOfLife` of a Cluster. */
export const plannedUpgrade = z
  .object({
    to: z.string().max(8).describe('The minor version that it gets.'),
    time: timestamp().describe('It does not begin before that.'),
  })
  .describe('The upgrade that it gets without being asked, if it has not left its minor version by then. Empty: none.');

export const forcedUpgradeStatus = z
  .object({
    from: kubernetesVersion().describe('Exact version that the control plane ran.'),
    to: kubernetesVersion().describe('Exact version that was decided on.'),
    time: timestamp().describe('When that was decided.'),
    asked: kubernetesVersion()
      .optional()
      .describe(
        'spec.version at that time, where it named an older version. As long as it is still the same, the cluster follows the minor version of `to`.',
      ),
  })
  .describe('The upgrade that the cluster got, or gets, because its minor version had reached its end of life.');

export type ForcedUpgradeSettings = z.infer<typeof forcedUpgradeSpec>;
export type PlannedUpgrade = z.infer<typeof plannedUpgrade>;
export type ForcedUpgradeStatus = z.infer<typeof forcedUpgradeStatus>;
