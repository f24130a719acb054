import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { MAX_NODE_POOL_NAME_LENGTH } from '../names.ts';
import { countOrPercentage, duration, int32, minutes } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, OPERATION_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { kubeletSettings } from './kubelet-settings.ts';
import { healingRecord, poolHealing } from './node-pool-healing.ts';
import { CLUSTER_NAME_RULE, NODE_POOL_RULES } from './node-pool-rules.ts';
import { poolImage, poolUpgrade } from './node-pool-upgrade.ts';
import { autoscalingSpec, autoscalingStatus } from './pool-autoscaling.ts';
import { boundsStatus } from './pool-bounds.ts';
import { poolNetworks } from './pool-networks.ts';
import { poolSecurityGroups, securityGroupsStatus } from './pool-security-groups.ts';
import { conditions, INITIAL_STATUS, lastOperation, ORIGIN_RULES, observedGeneration, originUID } from './status.ts';

const taint = z
  .object({
    key: z.string().min(1).max(317).describe('Key of the taint.'),
    value: z.string().max(63).optional().describe('Value of the taint.'),
    effect: z
      .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      .describe('Effect on pods that do not tolerate the taint.'),
  })
  .describe('Taint of the nodes.');

const nodeTemplate = z
  .object({
    metadata: z
      .object({
        labels: z.record(z.string(), z.string().max(63)).optional().describe('Labels of the nodes.'),
        annotations: z.record(z.string(), z.string()).optional().describe('Annotations of the nodes.'),
        finalizers: z.array(z.string().max(317)).max(10).optional().describe('Finalizers of the nodes.'),
      })
      .prefault({})
      .describe('Metadata of the nodes.'),
    spec: z
      .object({
        taints: z
          .array(taint)
          .max(50)
          .optional()
          .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key', 'effect'] })
          .describe('Taints of the nodes.'),
        unschedulable: z.boolean().default(false).describe('Whether the nodes are cordoned.'),
      })
      .prefault({})
      .describe('Spec of the nodes.'),
  })
  .describe(
    'Metadata and spec that Fairway maintains on every node of the pool, including existing ones. Changes by others are kept.',
  );

export const rootVolume = z.object({
  sizeGiB: int32().min(10).max(16384).describe('Size of the volume in GiB.'),
  type: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("Cinder volume type, by name. Default: the cloud's default type."),
});

export const nodePoolSpec = z
  .object({
    clusterName: z
      .string()
      .min(1)
      .max(63)
      .describe(
        'Name of the Cluster in the same namespace. It can be changed only while that Cluster does not exist and nothing has been created for the pool. Names of pools are unique in a namespace across clusters: <cluster>-<purpose> avoids conflicts.',
      ),
    flavor: z.string().min(1).max(255).describe('Flavor of the servers, by name or ID. A change replaces the nodes.'),
    replicas: int32().min(0).max(999).default(1).describe('Number of nodes; with autoscaling, the initial number.'),
    minReplicas: int32().min(0).max(999).default(0).describe('Minimum number of nodes, for replicas and autoscaling.'),
    maxReplicas: int32()
      .min(0)
      .max(999)
      .optional()
      .describe('Maximum number of nodes, for replicas and autoscaling. Default: 100, or 5 with hard antiAffinity.'),
    autoscaling: autoscalingSpec.prefault({}),
    antiAffinity: z
      .boolean()
      .default(false)
      .describe('Whether the nodes run on different hypervisors; antiAffinityPolicy sets how strictly. Immutable.'),
    antiAffinityPolicy: z
      .enum(['Hard', 'Soft'])
      .optional()
      .describe(
        'Strictness of antiAffinity. Hard: each node runs on its own hypervisor; at most 5 nodes. Soft: nodes run on different hypervisors while the cloud has room; otherwise several nodes share a hypervisor. Default: Hard. Immutable.',
      ),
    availabilityZones: z
      // Nova interprets anything after a colon as a hypervisor, which only administrators may select.
      .array(
        z
          .string()
          .min(1)
          .max(63)
          .regex(/^[^:]+$/, 'must be the name of a zone, such as "nova", without ":" and a host'),
      )
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe(
        "Availability zones over which new nodes are spread evenly. Default: the cloud's default zone. Nodes in a zone that is not listed are replaced; adding a zone does not move any nodes.",
      ),
    template: nodeTemplate.prefault({}),
    serverTags: z
      .array(
        z
          .string()
          .min(1)
          .max(60)
          .regex(
            /^[!-+\-.0-~]([ -+\-.0-~]{0,58}[!-+\-.0-~])?$/,
            'must be 1 to 60 ASCII characters without "," and "/", and must not start or end with a space',
          ),
      )
      .max(40)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe(
        'Tags of the servers in the cloud, including existing ones. Tags set by others are kept; "fairway" and "fairway-…" are reserved for Fairway.',
      ),
    serverMetadata: z
      .record(z.string(), z.string().max(255))
      .optional()
      .describe(
        'Metadata (properties) of the servers in the cloud, including existing ones; at most 64 items. Metadata set by others is kept; keys that start with "fairway.dev" are reserved for Fairway.',
      ),
    securityGroups: poolSecurityGroups,
    networks: poolNetworks().describe(
      "Additional networks of the servers, at most 8: each server has one port and one IPv4 address in each. The address of the node and the default route remain in the cluster's network. A change replaces the nodes.",
    ),
    floatingIPs: z
      .object({
        enabled: z.boolean().default(false).describe('Whether every node gets a floating IP.'),
      })
      .prefault({})
      .describe(
        'Floating IPs of the nodes. A floating IP is created and deleted with its server; requires spec.network.gateway.mode Router in the Cluster.',
      ),
    rootVolume: rootVolume
      .optional()
      .describe("Volume from which the servers boot. Default: the flavor's own disk. A change replaces the nodes."),
    image: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Image of the nodes, by ID or name. Default: the image of the cluster. A change replaces or reinstalls the nodes.',
      ),
    kubelet: kubeletSettings
      .optional()
      .describe(
        'Kubelet settings, by their names in the kubelet configuration. Combinations that the kubelet would reject are rejected. A change replaces or reinstalls the nodes.',
      ),
    nodeStartupTimeout: minutes()
      .optional()
      .describe(
        "Maximum time for a server to join the cluster as a node after the server is ACTIVE. When this time is exceeded, the Machine reports the timeout with the last lines of the server's console. Default: the time that the plan sets.",
      ),
    healing: poolHealing,
    upgradeStrategy: z
      .object({
        type: z
          .enum(['InPlace', 'Rolling'])
          .optional()
          .describe(
            'Update strategy. InPlace: drain and reinstall the same servers, one by one. Rolling: create new servers first, then drain and delete the old ones. Default: the strategy that the plan sets.',
          ),
        maxSurge: countOrPercentage(10)
          .default(1)
          .describe(
            'Maximum number of nodes in excess of replicas during a Rolling update: a number or a percentage of replicas, rounded up.',
          ),
        maxUnavailable: countOrPercentage(10)
          .default(0)
          .describe(
            'Maximum number of unavailable nodes during an update: a number or a percentage of replicas, rounded down.',
          ),
        priority: int32()
          .min(-1000)
          .max(1000)
          .default(0)
          .describe(
            'Priority of the pool: pools with a higher priority are updated first; pools with the same priority are updated at the same time.',
          ),
        paused: z
          .boolean()
          .default(false)
          .describe('Whether the update is paused. A replacement in progress is finished.'),
        drainTimeout: duration()
          .optional()
          .describe(
            'Maximum time that PodDisruptionBudgets can delay a drain before it is forced. Default: the time that the plan sets.',
          ),
        onDrainTimeout: z
          .enum(['Force', 'Hold'])
          .default('Force')
          .describe(
            'What happens when pods have not left a node within drainTimeout during an update. Force: the node is deleted together with these pods. Hold: the node stays cordoned until the pods leave or you force the drain (fairway machine drain NAME --force).',
          ),
      })
      .prefault({})
      .describe('How nodes are updated.'),
  })
  .describe('Desired state of the pool.');

const count = (text: string) => int32().min(0).optional().describe(text);

const nodePoolStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    originUID: originUID().optional(),
    phase: z
      .enum(['Pending', 'Provisioning', 'Ready', 'Scaling', 'Updating', 'Degraded', 'Failed', 'Deleting'])
      .optional()
      .describe('Phase of the pool, for human readers.'),
    conditions: conditions()
      .optional()
      .describe('Conditions of the pool: Ready, and the conditions that Ready summarizes.'),
    desiredReplicas: count('Current desired number of nodes, not counting additional nodes during an update.'),
    replicas: count('Number of Machines that exist and are not being deleted.'),
    readyReplicas: count('Number of Machines whose node is Ready.'),
    updatedReplicas: count('Number of Machines that match the pool and the version of the cluster.'),
    availableReplicas: count('Number of Machines whose node is Ready and schedulable.'),
    selector: z.string().optional().describe('Label selector of the Machines, for the scale subresource.'),
    readySummary: z.string().optional().describe('Ready and desired nodes as ready/desired, for the READY column.'),
    autoscaling: autoscalingStatus.optional(),
    bounds: boundsStatus.optional(),
    securityGroups: securityGroupsStatus.optional(),
    version: z.string().optional().describe('Lowest version of the nodes.'),
    serverGroupID: z.string().optional().describe('ID of the Nova server group for antiAffinity.'),
    flavorID: z.string().optional().describe('ID of the flavor.'),
    flavorName: z.string().max(255).optional().describe('Name of the flavor.'),
    imageID: z.string().optional().describe('ID of the image of new nodes.'),
    healing: healingRecord.optional(),
    zones: z
      .array(z.string().max(255))
      .max(100)
      .optional()
      .describe(
        'Zones over which nodes are spread if spec.availabilityZones is empty: all zones of the cloud at the creation of the pool, for plans with control planes in several zones.',
      ),
    image: poolImage.optional(),
    upgrade: poolUpgrade.optional(),
    lastOperation: lastOperation().optional().describe('Current or last operation and its progress.'),
  })
  .describe('Observed state of the pool.');

export type NodePoolSpec = z.infer<typeof nodePoolSpec>;
export type NodePoolStatus = z.infer<typeof nodePoolStatus>;
export type NodeTemplate = NodePoolSpec['template'];
export type Taint = z.infer<typeof taint>;

export interface NodePool extends KubeObject {
  spec: NodePoolSpec;
  status?: NodePoolStatus;
}

/** A NodePool as written by a user, without defaults. */
export interface NewNodePool extends KubeObject {
  spec: z.input<typeof nodePoolSpec>;
}

export const nodePools = defineKind<NodePool>({
  plural: 'nodepools',
  singular: 'nodepool',
  kind: 'NodePool',
  namespaced: true,
  shortNames: ['np'],
  description: 'NodePool is a group of identical nodes of a Cluster.',
  spec: nodePoolSpec,
  status: nodePoolStatus,
  initialStatus: INITIAL_STATUS,
  nameMaxLength: MAX_NODE_POOL_NAME_LENGTH,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    { name: 'Cluster', type: 'string', value: '.spec.clusterName' },
    { name: 'Flavor', type: 'string', value: '.spec.flavor' },
    { name: 'Version', type: 'string', value: '.status.version', description: 'Lowest version of the nodes.' },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Ready', type: 'string', value: '.status.readySummary', description: 'Ready and desired nodes.' },
    { name: 'Up-to-date', type: 'integer', value: '.status.updatedReplicas' },
    OPERATION_COLUMN,
    { name: 'Min', type: 'integer', value: '.spec.minReplicas', priority: 1 },
    { name: 'Max', type: 'integer', value: '.spec.maxReplicas', priority: 1 },
    { name: 'Autoscaled', type: 'boolean', value: '.spec.autoscaling.enabled', priority: 1 },
    { name: 'Anti-affinity', type: 'boolean', value: '.spec.antiAffinity', priority: 1 },
    { name: 'Zones', type: 'string', value: '.spec.availabilityZones', priority: 1 },
    PAUSED_COLUMN,
    AGE_COLUMN,
    MESSAGE_COLUMN,
  ],
  immutable: ['spec.antiAffinity', 'spec.antiAffinityPolicy'],
  rules: NODE_POOL_RULES,
  transitions: [...ORIGIN_RULES, CLUSTER_NAME_RULE],
});
