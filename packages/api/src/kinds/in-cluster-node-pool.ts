import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { MAX_NODE_POOL_NAME_LENGTH } from '../names.ts';
import { int32 } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN } from './kind.ts';
import { nodePoolSpec } from './node-pool.ts';
import { NODE_POOL_RULES } from './node-pool-rules.ts';
import { conditions, INITIAL_STATUS, observedGeneration } from './status.ts';

const inClusterSpec = nodePoolSpec
  .omit({ clusterName: true })
  .describe('Desired state of the pool: a request until the condition Accepted is True.');

const count = (text: string) => int32().min(0).optional().describe(text);
const word = (text: string) => z.string().max(256).optional().describe(text);

const inClusterStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    shown: word('State of the pool that this object shows; for internal use by Fairway.'),
    phase: word('Phase of the pool, for human readers.'),
    conditions: conditions()
      .optional()
      .describe(
        'Conditions of the pool. Accepted: whether the last request in this object has been applied. Ready: state of the pool.',
      ),
    desiredReplicas: count('Current desired number of nodes.'),
    replicas: count('Number of nodes that exist or are being created.'),
    readyReplicas: count('Number of nodes that are Ready.'),
    updatedReplicas: count('Number of nodes that match the pool and the version of the cluster.'),
    availableReplicas: count('Number of nodes that are Ready and schedulable.'),
    readySummary: word('Ready and desired nodes as ready/desired.'),
    operation: word('Current operation and its progress. Empty if there is none.'),
    version: word('Lowest version of the nodes.'),
  })
  .describe('Observed state of the pool.');

export type InClusterNodePoolSpec = z.infer<typeof inClusterSpec>;
export type InClusterNodePoolStatus = z.infer<typeof inClusterStatus>;

/** A NodePool in a tenant's cluster, without a namespace or cluster name. */
export interface InClusterNodePool extends KubeObject {
  spec: InClusterNodePoolSpec;
  status?: InClusterNodePoolStatus;
}

/** The kind that Fairway serves in tenants' clusters. It is not part of Fairway's own API. */
export const inClusterNodePools = defineKind<InClusterNodePool>({
  plural: 'nodepools',
  singular: 'nodepool',
  kind: 'NodePool',
  namespaced: false,
  shortNames: ['np'],
  description:
    'NodePool is a group of identical nodes of this cluster. Changes to this object are requests: they are validated like requests to Fairway itself, and reverted if they are rejected or the pool has changed in the meantime.',
  spec: inClusterSpec,
  status: inClusterStatus,
  initialStatus: {
    conditions: [
      ...INITIAL_STATUS.conditions,
      {
        type: 'Accepted',
        status: 'Unknown',
        reason: 'Provisioning',
        message: 'Waiting for Fairway to process it.',
        lastTransitionTime: '1970-01-01T00:00:00Z',
      },
    ],
  },
  nameMaxLength: MAX_NODE_POOL_NAME_LENGTH,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    { name: 'Flavor', type: 'string', value: '.spec.flavor' },
    { name: 'Autoscaled', type: 'boolean', value: '.spec.autoscaling.enabled' },
    { name: 'Desired', type: 'integer', value: '.spec.replicas' },
    { name: 'Current', type: 'integer', value: '.status.replicas' },
    { name: 'Up-to-date', type: 'integer', value: '.status.updatedReplicas' },
    { name: 'Available', type: 'integer', value: '.status.availableReplicas' },
    { name: 'Min', type: 'integer', value: '.spec.minReplicas' },
    { name: 'Max', type: 'integer', value: '.spec.maxReplicas' },
    {
      name: 'Accepted',
      type: 'string',
      value: '.status.conditions[?(@.type=="Accepted")].status',
      description: 'Whether the last request in this object has been applied.',
    },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Operation', type: 'string', value: '.status.operation', priority: 1 },
    { name: 'Version', type: 'string', value: '.status.version', priority: 1 },
    { name: 'Anti-affinity', type: 'boolean', value: '.spec.antiAffinity', priority: 1 },
    { name: 'Zones', type: 'string', value: '.spec.availabilityZones', priority: 1 },
    AGE_COLUMN,
    {
      name: 'Refusal',
      type: 'string',
      value: '.status.conditions[?(@.type=="Accepted")].message',
      description: 'Why the last request in this object has not been applied.',
      priority: 1,
    },
    { ...MESSAGE_COLUMN, priority: 1 },
  ],
  immutable: ['spec.antiAffinity', 'spec.antiAffinityPolicy'],
  rules: NODE_POOL_RULES,
});
