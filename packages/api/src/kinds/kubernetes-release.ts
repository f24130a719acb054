import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32 } from '../schema/scalars.ts';
import { FORCED_UPGRADE_RULES, forcedUpgradeSpec } from './forced-upgrade.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN } from './kind.ts';
import { ROLLOUT_RULES, rolloutSpec, rolloutStatus } from './rollout.ts';
import { conditions, observedGeneration } from './status.ts';

const date = () =>
  z
    .string()
    .max(35)
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, 'must be a date such as 2026-10-28');

const phase = () =>
  z
    .enum(['Preview', 'Supported', 'Deprecated', 'EndOfLife'])
    .describe(
      'Preview: may be chosen, never by default. Supported. Deprecated, EndOfLife: existing clusters may stay, and pass through on their way to newer versions; they are told.',
    );

const components = z.record(z.string(), z.string().max(63));

const kubernetesReleaseSpec = z
  .object({
    minor: z
      .string()
      .max(8)
      .regex(/^[0-9]+\.[0-9]+$/, 'must be a minor version such as 1.34')
      .describe('The minor version; the object has the same name. Immutable.'),
    phaseOverride: phase()
      .optional()
      .describe(
        'Phase that holds whatever the date is. Empty: by the dates; Preview until released, Supported from then, Deprecated from maintenanceMode, EndOfLife from endOfLife.',
      ),
    released: date().optional().describe('Day of the first release upstream. Preview until then.'),
    maintenanceMode: date()
      .optional()
      .describe('Day since which upstream takes only critical fixes. Deprecated from then.'),
    endOfLife: date().optional().describe('Day of the end of support upstream. EndOfLife from then.'),
    source: z.string().max(1024).describe('Where the dates and versions come from.'),
    patches: z
      .array(
        z.object({
          version: z
            .string()
            .max(16)
            .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/, 'must be an exact version such as 1.34.2')
            .describe('The exact version.'),
          released: date().optional().describe('Day of its release upstream.'),
          withdrawn: z.boolean().default(false).describe('Whether new clusters and upgrades may no longer choose it.'),
          components: components.optional().describe('Versions that differ from those of the minor version.'),
        }),
      )
      .min(1)
      .max(50)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['version'] })
      .describe('Patch versions that can be chosen.'),
    components: components.describe(
      'Versions of what is installed along with it, by name: containerd, coredns, calico, flannel, …',
    ),
    rollout: rolloutSpec.optional(),
    forcedUpgrade: forcedUpgradeSpec.optional(),
  })
  .describe('What is offered of a minor version.');

const kubernetesReleaseStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions()
      .optional()
      .describe(
        'Ready: whether clusters can use it. RolledOut: whether clusters that follow it run its newest patch. EndOfLifeEnforced: whether all have left it that were to be upgraded by force.',
      ),
    phase: phase().optional(),
    newest: z.string().max(16).optional().describe('Newest patch that clusters can use.'),
    available: z
      .array(z.string().max(16))
      .max(50)
      .optional()
      .describe('Patches that are not withdrawn and that this Fairway can run.'),
    clusters: int32().min(0).optional().describe('Clusters whose control planes run it.'),
    rollout: rolloutStatus.optional(),
    forcedUpgrade: rolloutStatus
      .optional()
      .describe(
        'How far the clusters have come that are upgraded after the end of life; `version` is the next minor one. Clusters that are in `moving` begin.',
      ),
  })
  .describe('Whether what is offered is sound.');

export type KubernetesReleaseSpec = z.infer<typeof kubernetesReleaseSpec>;
export type ReleasePhase = z.infer<ReturnType<typeof phase>>;
export type KubernetesReleaseStatus = z.infer<typeof kubernetesReleaseStatus>;

export interface KubernetesRelease extends KubeObject {
  spec: KubernetesReleaseSpec;
  status?: KubernetesReleaseStatus;
}

export const kubernetesReleases = defineKind<KubernetesRelease>({
  plural: 'kubernetesreleases',
  singular: 'kubernetesrelease',
  kind: 'KubernetesRelease',
  namespaced: false,
  shortNames: ['kr'],
  description: 'KubernetesRelease is a minor version of Kubernetes that the operator offers.',
  spec: kubernetesReleaseSpec,
  status: kubernetesReleaseStatus,
  columns: [
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Newest', type: 'string', value: '.status.newest', description: 'Newest patch that clusters can use.' },
    {
      name: 'Rollout',
      type: 'string',
      value: '.status.rollout.summary',
      description: 'How many of the clusters that follow it run its newest patch.',
    },
    {
      name: 'Forced',
      type: 'string',
      value: '.status.forcedUpgrade.summary',
      description: 'How many of the clusters that are upgraded after its end of life have left it.',
      priority: 1,
    },
    {
      name: 'Clusters',
      type: 'integer',
      value: '.status.clusters',
      description: 'Clusters whose control planes run it.',
      priority: 1,
    },
    { name: 'Released', type: 'string', value: '.spec.released', priority: 1 },
    { name: 'End of life', type: 'string', value: '.spec.endOfLife' },
    { name: 'Ready', type: 'string', value: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Patches', type: 'string', value: '.status.available', priority: 1 },
    { name: 'Source', type: 'string', value: '.spec.source', priority: 1 },
    AGE_COLUMN,
    MESSAGE_COLUMN,
  ],
  immutable: ['spec.minor'],
  rules: [...ROLLOUT_RULES, ...FORCED_UPGRADE_RULES],
});
