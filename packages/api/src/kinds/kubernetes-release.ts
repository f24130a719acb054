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
      'Support phase. Preview: the version can be chosen, but is never the default. Supported: the version can be the default. Deprecated and EndOfLife: existing clusters can keep the version, or upgrade through it to newer versions; they get a notice.',
    );

const components = z.record(z.string(), z.string().max(63));

const kubernetesReleaseSpec = z
  .object({
    minor: z
      .string()
      .max(8)
      .regex(/^[0-9]+\.[0-9]+$/, 'must be a minor version such as 1.34')
      .describe('Minor version, which is also the name of the object. Immutable.'),
    phaseOverride: phase()
      .optional()
      .describe(
        'Phase to use regardless of the dates. Default: the phase according to the dates: Preview until released, Supported from then on, Deprecated from maintenanceMode, EndOfLife from endOfLife.',
      ),
    released: date().optional().describe('Date of the first upstream release. The phase is Preview until this date.'),
    maintenanceMode: date()
      .optional()
      .describe('Date from which upstream accepts only critical fixes. The phase is Deprecated from this date.'),
    endOfLife: date().optional().describe('Date when upstream support ends. The phase is EndOfLife from this date.'),
    source: z.string().max(1024).describe('Source of the dates and versions.'),
    patches: z
      .array(
        z.object({
          version: z
            .string()
            .max(16)
            .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/, 'must be an exact version such as 1.34.2')
            .describe('Exact version of the patch.'),
          released: date().optional().describe('Date of the upstream release.'),
          withdrawn: z
            .boolean()
            .default(false)
            .describe('Whether new clusters and upgrades can no longer choose the patch.'),
          components: components.optional().describe('Component versions that differ from those of the minor version.'),
        }),
      )
      .min(1)
      .max(50)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['version'] })
      .describe('Available patch versions.'),
    components: components.describe(
      'Versions of the components that are installed with the Kubernetes version, by name: containerd, coredns, calico, flannel, …',
    ),
    rollout: rolloutSpec.optional(),
    forcedUpgrade: forcedUpgradeSpec.optional(),
  })
  .describe('Desired state of the release.');

const kubernetesReleaseStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions()
      .optional()
      .describe(
        'Conditions of the release. Ready: clusters can use it. RolledOut: the clusters that follow the release run its newest patch. EndOfLifeEnforced: all clusters subject to a forced upgrade have been upgraded.',
      ),
    phase: phase().optional(),
    newest: z.string().max(16).optional().describe('Newest patch that clusters can use.'),
    available: z
      .array(z.string().max(16))
      .max(50)
      .optional()
      .describe('Patches that are not withdrawn and whose binaries are available.'),
    clusters: int32().min(0).optional().describe('Number of clusters whose control planes run the version.'),
    rollout: rolloutStatus.optional(),
    forcedUpgrade: rolloutStatus
      .optional()
      .describe(
        'Progress of forced upgrades after the end of life; `version` is the next minor version. Clusters in `moving` are being upgraded.',
      ),
  })
  .describe('Observed state of the release.');

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
      description: 'Number of clusters that follow the version and run its newest patch.',
    },
    {
      name: 'Forced',
      type: 'string',
      value: '.status.forcedUpgrade.summary',
      description: 'Number of clusters that were upgraded after the end of life of the version.',
      priority: 1,
    },
    {
      name: 'Clusters',
      type: 'integer',
      value: '.status.clusters',
      description: 'Number of clusters whose control planes run the version.',
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
