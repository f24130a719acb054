import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32 } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind } from './kind.ts';

const limit = (what: string) =>
  int32().min(0).optional().describe(`${what} Default: the limit that the operator configured.`);

const projectQuotaSpec = z
  .object({
    clusters: limit('Maximum number of clusters in the namespace.'),
    nodes: limit('Maximum number of nodes in the pools of all clusters in the namespace.'),
    cores: limit('Maximum number of cores of these nodes, according to their flavors.'),
  })
  .describe('Limits of a project. If a namespace has several quotas, all of them apply.');

const projectQuotaStatus = z
  .object({
    used: z
      .object({
        clusters: int32().min(0).describe('Number of clusters.'),
        nodes: int32().min(0).describe('Number of nodes in the pools.'),
        cores: int32().min(0).optional().describe('Number of cores of these nodes. Absent while a flavor is unknown.'),
      })
      .optional()
      .describe('Usage that counts against the limits.'),
    clusters: z.string().max(31).optional().describe('Usage and limit as used/limit, for the CLUSTERS column.'),
    nodes: z.string().max(31).optional().describe('Usage and limit as used/limit, for the NODES column.'),
    cores: z.string().max(31).optional().describe('Usage and limit as used/limit, for the CORES column.'),
  })
  .describe('Observed usage of the project.');

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
    'ProjectQuota limits the clusters, nodes and cores of a namespace. It is set by operators and read-only for tenants.',
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
