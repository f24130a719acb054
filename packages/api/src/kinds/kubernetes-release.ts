import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { AGE_COLUMN, defineKind } from './kind.ts';
import { conditions, observedGeneration } from './status.ts';

const date = () =>
  z
    .string()
    .max(10)
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, 'must be a date such as 2026-10-28');

const components = z.record(z.string(), z.string().max(63));

const kubernetesReleaseSpec = z
  .object({
    minor: z
      .string()
      .max(8)
      .regex(/^[0-9]+\.[0-9]+$/, 'must be a minor version such as 1.34')
      .describe('The minor version; the object has the same name. Immutable.'),
    phase: z
      .enum(['Preview', 'Supported', 'Deprecated', 'EndOfLife'])
      .describe(
        'Preview: may be chosen, never by default. Supported. Deprecated: existing clusters only may stay. EndOfLife: clusters are upgraded by force after notice.',
      ),
    released: date().optional().describe('Day of the first release upstream.'),
    maintenanceMode: date().optional().describe('Day since which upstream takes only critical fixes.'),
    endOfLife: date().optional().describe('Day of the end of support upstream.'),
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
      'Versions of what is installed along with it, by name: containerd, coredns, cilium, …',
    ),
  })
  .describe('What is offered of a minor version.');

const kubernetesReleaseStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions().optional().describe('Ready: whether clusters can use it.'),
  })
  .describe('Whether what is offered is sound.');

export type KubernetesReleaseSpec = z.infer<typeof kubernetesReleaseSpec>;
export type ReleasePhase = KubernetesReleaseSpec['phase'];

export interface KubernetesRelease extends KubeObject {
  spec: KubernetesReleaseSpec;
  status?: z.infer<typeof kubernetesReleaseStatus>;
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
    { name: 'Phase', type: 'string', value: '.spec.phase' },
    { name: 'Patches', type: 'string', value: '.spec.patches[*].version' },
    { name: 'Released', type: 'string', value: '.spec.released' },
    { name: 'End of life', type: 'string', value: '.spec.endOfLife' },
    { name: 'Ready', type: 'string', value: '.status.conditions[?(@.type=="Ready")].status' },
    AGE_COLUMN,
  ],
  immutable: ['spec.minor'],
  rules: [],
});
