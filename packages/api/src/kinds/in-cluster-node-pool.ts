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
  .describe('What the pool should be: a request, until the condition Accepted says so.');

const count = (text: string) => int32().min(0).optional().describe(text);
const word = (text: string) => z.string().max(256).optional().describe(text);

const inClusterStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    shown: word('Which state of the pool this object shows, for Fairway.'),
    phase: word('The state in a word, for people.'),
    conditions: conditions()
      .optional()
      .describe('Accepted: whether what was last asked for here is carried out. Ready: how the pool is.'),
    desiredReplicas: count('Nodes that the pool is to have now.'),
    replicas: count('Nodes that there are, or are being made.'),
    readyReplicas: count('Nodes that are Ready.'),
    updatedReplicas: count('Nodes that match the pool and the version of the cluster.'),
    availableReplicas: count('Nodes that are Ready and schedulable.'),
    readySummary: word('ready/desired.'),
    operation: word('What is being done, and how far it is; empty while nothing is.'),
    version: word('Lowest version among the nodes.'),
  })
  .describe('What the pool is.');

export type InClusterNodePoolSpec = z.infer<typeof inClusterSpec>;
export type InClusterNodePoolStatus = z.infer<typeof inClusterStatus>;

/** A NodePool as a tenant's own cluster has it: without a namespace and the name of its cluster. */
export interface InClusterNodePool extends KubeObject {
  spec: InClusterNodePoolSpec;
  status?: InClusterNodePoolStatus;
}

/** The kind that Fairway serves within tenants' clusters. It is none of Fairway's own API. */
export const inClusterNodePools = defineKind<InClusterNodePool>({
  plural: 'nodepools',
  singular: 'nodepool',
  kind: 'NodePool',
  namespaced: false,
  shortNames: ['np'],
  description:
    'NodePool is a group of equal nodes of this cluster, as Fairway has it. What is written here is a request: it is checked as one to Fairway itself, and is set back where it is refused, or where the pool has changed since.',
  spec: inClusterSpec,
  status: inClusterStatus,
  initialStatus: {
    conditions: [
      ...INITIAL_STATUS.conditions,
      {
        type: 'Accepted',
        status: 'Unknown',
        reason: 'Provisioning',
        message: 'Waits for Fairway to look at it.',
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
      description: 'Whether what was last asked for here is carried out.',
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
      description: 'Why what was last asked for here is not carried out.',
      priority: 1,
    },
    { ...MESSAGE_COLUMN, priority: 1 },
  ],
  immutable: ['spec.antiAffinity'],
  rules: NODE_POOL_RULES,
});
