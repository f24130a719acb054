import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { MAX_NODE_POOL_NAME_LENGTH } from '../names.ts';
import { countOrShare, duration, int32, minutes } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, OPERATION_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { healingRecord, poolHealing } from './node-pool-healing.ts';
import { NODE_POOL_RULES } from './node-pool-rules.ts';
import { poolImage, poolUpgrade } from './node-pool-upgrade.ts';
import { autoscalingSpec, autoscalingStatus } from './pool-autoscaling.ts';
import { boundsStatus } from './pool-bounds.ts';
import { conditions, INITIAL_STATUS, lastOperation, ORIGIN_RULES, observedGeneration, originUID } from './status.ts';

const taint = z
  .object({
    key: z.string().min(1).max(317).describe('Key of the taint.'),
    value: z.string().max(63).optional().describe('Value of the taint.'),
    effect: z
      .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      .describe('What happens to pods that do not tolerate it.'),
  })
  .describe('Keeps pods away that do not tolerate it.');

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
    'What Fairway keeps on every node of the pool, existing ones included. What others put on a node is left alone.',
  );

export const rootVolume = z.object({
  sizeGiB: int32().min(10).max(16384).describe('Size.'),
  type: z.string().min(1).max(255).optional().describe("Cinder volume type, by name. Empty: the cloud's default type."),
});

export const nodePoolSpec = z
  .object({
    clusterName: z
      .string()
      .min(1)
      .max(63)
      .describe(
        'Name of the Cluster, in the same namespace, that the pool belongs to. Immutable. Names of pools are unique in a namespace, whatever their cluster: <cluster>-<purpose> keeps them apart.',
      ),
    flavor: z.string().min(1).max(255).describe('Flavor of the servers, by name or id. A change replaces the nodes.'),
    replicas: int32()
      .min(0)
      .max(999)
      .default(1)
      .describe('Nodes wanted; with autoscaling, how many there are at first.'),
    minReplicas: int32().min(0).max(999).default(0).describe('Fewest nodes: of replicas, and of autoscaling.'),
    maxReplicas: int32()
      .min(0)
      .max(999)
      .optional()
      .describe('Most nodes: of replicas, and of autoscaling. Empty: 100; with antiAffinity 5.'),
    autoscaling: autoscalingSpec.prefault({}),
    antiAffinity: z
      .boolean()
      .default(false)
      .describe('Whether every node runs on a hypervisor of its own; 5 nodes at most. Immutable.'),
    availabilityZones: z
      .array(z.string().min(1).max(63))
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe(
        "Zones that new nodes are spread over evenly. Empty: the cloud's default zone. Nodes in a zone that it does not name are replaced; a further zone moves none.",
      ),
    template: nodeTemplate.prefault({}),
    floatingIPs: z
      .object({
        enabled: z.boolean().default(false).describe('Whether every node gets one.'),
      })
      .prefault({})
      .describe(
        'Floating IPs of the nodes. One lives and dies with its server; the cluster needs a gateway of mode Router.',
      ),
    rootVolume: rootVolume
      .optional()
      .describe("Boot from a volume. Empty: from the flavor's own disk. A change replaces the nodes."),
    image: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Image of the nodes, by id or name. Empty: the cluster's. A change renews the nodes."),
    nodeStartupTimeout: minutes()
      .optional()
      .describe(
        "How long a server may take, from ACTIVE, to join the cluster as a node. Then its Machine says so, with the last lines of its console. Empty: the plan's.",
      ),
    healing: poolHealing,
    upgradeStrategy: z
      .object({
        type: z
          .enum(['InPlace', 'Rolling'])
          .optional()
          .describe(
            "How nodes take a new version or image. InPlace: drain, reinstall the same server, one after another. Rolling: new servers first, then drain and delete old ones. Empty: the plan's.",
          ),
        maxSurge: countOrShare(10)
          .default(1)
          .describe(
            'How many more nodes than replicas there may be meanwhile (Rolling): a number, or a share of them, rounded up.',
          ),
        maxUnavailable: countOrShare(10)
          .default(0)
          .describe('How many fewer there may be meanwhile: a number, or a share of replicas, rounded down.'),
        priority: int32()
          .min(-1000)
          .max(1000)
          .default(0)
          .describe(
            'Pools of a higher priority are renewed before those of a lower one begin; pools of the same priority at the same time.',
          ),
        paused: z
          .boolean()
          .default(false)
          .describe('Whether no further node is renewed. One whose replacement is being made is finished.'),
        drainTimeout: duration()
          .optional()
          .describe("How long PodDisruptionBudgets may hold a drain up before it is forced. Empty: the plan's."),
        onDrainTimeout: z
          .enum(['Force', 'Hold'])
          .default('Force')
          .describe(
            'What becomes of a node whose pods have not left in that time, when it is renewed. Force: it goes with them. Hold: it stays, cordoned, until they leave or you decide (fairway machine drain NAME --force).',
          ),
      })
      .prefault({})
      .describe('How nodes are renewed.'),
  })
  .describe('What the pool should be.');

const count = (text: string) => int32().min(0).optional().describe(text);

const nodePoolStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    originUID: originUID().optional(),
    phase: z
      .enum(['Pending', 'Provisioning', 'Ready', 'Scaling', 'Updating', 'Degraded', 'Failed', 'Deleting'])
      .optional()
      .describe('The state in a word, for people.'),
    conditions: conditions().optional().describe('Ready, and what it consists of.'),
    desiredReplicas: count(
      'Nodes that the pool is to have now, without those that are extra while others are renewed.',
    ),
    replicas: count('Machines that exist and are not being deleted.'),
    readyReplicas: count('Machines whose node is Ready.'),
    updatedReplicas: count('Machines that match the pool and the version of the cluster.'),
    availableReplicas: count('Machines whose node is Ready and schedulable.'),
    selector: z.string().optional().describe('Label selector of the Machines, for the scale subresource.'),
    readySummary: z.string().optional().describe('ready/desired, for the READY column.'),
    autoscaling: autoscalingStatus.optional(),
    bounds: boundsStatus.optional(),
    version: z.string().optional().describe('Lowest version among the nodes.'),
    serverGroupID: z.string().optional().describe('Nova server group that keeps the nodes apart.'),
    flavorID: z.string().optional().describe('Id of the flavor.'),
    flavorName: z.string().max(255).optional().describe('Name of the flavor.'),
    imageID: z.string().optional().describe('Id of the image that new nodes boot from.'),
    healing: healingRecord.optional(),
    image: poolImage.optional(),
    upgrade: poolUpgrade.optional(),
    lastOperation: lastOperation().optional().describe('What is being done, and how far it is.'),
  })
  .describe('What the pool is.');

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
  description: 'NodePool is a group of equal nodes of a Cluster.',
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
    { name: 'Version', type: 'string', value: '.status.version', description: 'Lowest version among the nodes.' },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Ready', type: 'string', value: '.status.readySummary', description: 'Nodes ready/desired.' },
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
  immutable: ['spec.clusterName', 'spec.antiAffinity'],
  immutableHints: {
    'spec.clusterName': {
      cel: `'the name belongs to a pool of cluster "' + oldSelf.clusterName + '", and is unique in a namespace: call this pool "' + self.clusterName + '-general", for example'`,
      text: (value, old) =>
        `the name belongs to a pool of cluster "${String(old)}", and is unique in a namespace: call this pool "${String(value)}-general", for example`,
    },
  },
  rules: NODE_POOL_RULES,
  transitions: ORIGIN_RULES,
});
