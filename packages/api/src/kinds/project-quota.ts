import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32 } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind } from './kind.ts';

const limit = (what: string) => int32().min(0).optional().describe(`${what} Empty: the operator's default.`);

const projectQuotaSpec = z
  .object({
    clusters: limit('Clusters that the namespace may have.'),
    nodes: limit('Nodes that the pools of all its clusters may ask for.'),
    cores: limit('Cores of these nodes, by their flavors.'),
  })
  .describe('What a project may have in all. Of several in a namespace all hold.');

const projectQuotaStatus = z
  .object({
    used: z
      .object({
        clusters: int32().min(0).describe('Clusters that there are.'),
        nodes: int32().min(0).describe('Nodes that pools ask for.'),
        cores: int32().min(0).optional().describe('Cores of these nodes; absent while a flavor is not known.'),
      })
      .optional()
      .describe('What counts against the limits.'),
    clusters: z.string().max(31).optional().describe('used/limit, for the CLUSTERS column.'),
    nodes: z.string().max(31).optional().describe('used/limit, for the NODES column.'),
    cores: z.string().max(31).optional().describe('used/limit, for the CORES column.'),
  })
  .describe('What the project has.');

export type ProjectQuotaSpec = z.infer<typeof projectQuotaSpec>;
export type ProjectQuotaStatus = z.infer<typeof projectQuotaStatus>;

export interface ProjectQuota extends KubeObject {
  spec: ProjectQuotaSpec;
  status?: ProjectQuotaStatus;
}

export const projectQuotas = defineKind<ProjectQuota>({
  plural: 'projectquotas',
  singular: 'projectquota',
  kind: 'ProjectQuota',
  namespaced: true,
  shortNames: ['pq'],
  description:
    'ProjectQuota limits what a namespace may have in all: clusters, nodes and cores. Operators write it; it is read-only for tenants.',
  spec: projectQuotaSpec,
  status: projectQuotaStatus,
  columns: [
    { name: 'Clusters', type: 'string', value: '.status.clusters', description: 'Used/limit.' },
    { name: 'Nodes', type: 'string', value: '.status.nodes', description: 'Used/limit.' },
    { name: 'Cores', type: 'string', value: '.status.cores', description: 'Used/limit.' },
    AGE_COLUMN,
  ],
  immutable: [],
  rules: [],
});
