import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, int32, ipv4Cidr, isDurationCel, minutes } from '../schema/scalars.ts';
import { AGE_COLUMN, crossFieldRule, defineKind } from './kind.ts';
import { healingStrategy } from './node-pool-healing.ts';
import { PLAN_STORAGE_RULES, planStorage } from './plan-storage.ts';
import { conditions, observedGeneration } from './status.ts';

const allowedNames = (what: string) =>
  z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .optional()
    .describe(`${what}: names, ids, or patterns such as "b3-*". Empty: all.`);

const planSpec = z
  .object({
    displayName: z.string().min(1).max(63).describe('Name for people.'),
    description: z.string().max(1024).optional().describe('What the plan is for.'),
    controlPlane: z
      .object({
        topology: z
          .enum(['SingleZone', 'MultiZone'])
          .describe('Whether the control plane survives the loss of a zone.'),
        replicas: int32().min(1).max(5).describe('Copies of each component.'),
        memoryMiB: int32()
          .min(768)
          .max(1_048_576)
          .optional()
          .describe(
            'Memory that one copy of all components may take together, where control planes run as processes. One that takes more than its share is restarted. Empty: no limit.',
          ),
      })
      .describe('How control planes run.'),
    availability: z
      .object({
        target: z
          .string()
          .max(8)
          .regex(/^[0-9]{2}(\.[0-9]{1,3})?$/, 'must be a percentage such as "99.95"')
          .describe('Share of a month that the API server answers, in percent.'),
        kind: z
          .enum(['Objective', 'Agreement'])
          .describe('An objective (SLO), or an agreement (SLA) with consequences.'),
      })
      .describe('What is promised.'),
    etcd: z
      .object({
        topology: z.enum(['Shared', 'Dedicated']).describe('Whether clusters share one etcd.'),
        baseMiB: int32().min(1).describe('Quota of a cluster without nodes.'),
        perNodeMiB: int32().min(0).describe('Quota that every node adds.'),
        maxMiB: int32().min(1).describe('Largest quota.'),
        snapshots: z
          .object({
            interval: duration().default('6h').describe('Time from one snapshot to the next; at least 1m.'),
            keep: int32().min(1).max(100).default(28).describe('How many are kept; the oldest go.'),
          })
          .optional()
          .describe(
            'Snapshots of the database that the cluster can be set back to, where its control plane keeps any. Empty: none are taken.',
          ),
      })
      .describe("Quota of a cluster's database: base + nodes * perNode, max at most. It never shrinks."),
    maxNodes: int32().min(1).describe('Most nodes of a cluster, over all its pools.'),
    maxPodsPerNode: int32().min(1).max(250).describe('Most pods of a node.'),
    maxClusters: int32().min(1).optional().describe('Most clusters of this plan in a namespace. Empty: no limit.'),
    cni: z
      .object({
        default: z.enum(['canal', 'cilium', 'none']).describe('Pod network where a Cluster names none.'),
        allowed: z
          .array(z.enum(['canal', 'cilium', 'none']))
          .min(1)
          .max(3)
          .describe('Pod networks that a Cluster may name.'),
      })
      .describe('Pod networks.'),
    kubeProxy: z
      .object({
        default: z.enum(['iptables', 'ipvs', 'nftables', 'none']).describe('Mode where a Cluster names none.'),
        allowed: z
          .array(z.enum(['iptables', 'ipvs', 'nftables', 'none']))
          .min(1)
          .max(4)
          .describe('Modes that a Cluster may name.'),
      })
      .describe('kube-proxy modes.'),
    network: z
      .object({
        podCIDR: ipv4Cidr().describe('Addresses of pods where a Cluster names none.'),
        serviceCIDR: ipv4Cidr().describe('Addresses of Services where a Cluster names none.'),
        nodesCIDR: ipv4Cidr().describe('Range of the subnet that Fairway creates where a Cluster names none.'),
        customCIDRs: z.boolean().describe('Whether a Cluster may name podCIDR and serviceCIDR.'),
        reservedCIDRs: z
          .array(ipv4Cidr())
          .max(20)
          .describe("Further ranges that a cluster's networks must not overlap."),
        gatewayRequired: z.boolean().describe('Whether the subnet of the nodes must have an OpenStack router.'),
      })
      .describe('Addresses.'),
    allowed: z
      .object({
        flavors: allowedNames('Flavors that a NodePool may name'),
        images: allowedNames('Images that nodes may boot from'),
        regions: allowedNames('Regions that a Cluster may be in'),
        networks: allowedNames('Networks that a Cluster may name as networkID; its own is always allowed'),
        upgradeStrategies: z
          .array(z.enum(['InPlace', 'Rolling']))
          .min(1)
          .max(2)
          .optional()
          .describe('Upgrade strategies that a NodePool may name. Empty: all.'),
        healingStrategies: z
          .array(healingStrategy())
          .min(1)
          .max(2)
          .optional()
          .describe('Healing strategies that a NodePool may name. Empty: all.'),
      })
      .optional()
      .describe(
        'What clusters of this plan may choose. A change applies to new clusters and nodes: existing ones stay, and a pool makes no more of what is no longer allowed.',
      ),
    nodePools: z
      .object({
        allowInCluster: z
          .boolean()
          .optional()
          .describe(
            "Whether clusters have their NodePools within them too, for the tenant's own kubectl. Empty: yes, where the operator allows it at all.",
          ),
      })
      .optional()
      .describe('How pools may be changed.'),
    storage: planStorage.optional(),
    upgradeStrategy: z.enum(['InPlace', 'Rolling']).describe('How nodes are renewed where a NodePool does not say.'),
    drainTimeout: duration().describe('How long PodDisruptionBudgets may hold a drain up before it is forced.'),
    maxDrainTimeout: duration()
      .optional()
      .describe(
        'Longest drainTimeout that a NodePool may name. One that got in otherwise is cut to it. Empty: no limit.',
      ),
    healing: z
      .object({
        strategy: healingStrategy().describe(
          'Where a NodePool does not say. Reinstall: the same server again. Replace: a new server for the old one.',
        ),
        notReadyTimeout: duration().describe('How long a node is NotReady before it is healed.'),
        nodeStartupTimeout: minutes()
          .optional()
          .describe('How long a server may take to join as a node where a NodePool does not say. Empty: 10m.'),
      })
      .describe('What is done about nodes that fail.'),
  })
  .describe('What a cluster of this plan gets.');

const planStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions().optional().describe('Ready: whether clusters can use it.'),
  })
  .describe('Whether what is offered is sound.');

export type PlanSpec = z.infer<typeof planSpec>;

export interface Plan extends KubeObject {
  spec: PlanSpec;
  status?: z.infer<typeof planStatus>;
}

export const plans = defineKind<Plan>({
  plural: 'plans',
  singular: 'plan',
  kind: 'Plan',
  namespaced: false,
  shortNames: [],
  description: 'Plan is an offer of the operator: limits and promises of the clusters that choose it.',
  spec: planSpec,
  status: planStatus,
  columns: [
    { name: 'Topology', type: 'string', value: '.spec.controlPlane.topology' },
    { name: 'Availability', type: 'string', value: '.spec.availability.target' },
    { name: 'Max nodes', type: 'integer', value: '.spec.maxNodes' },
    { name: 'CNI', type: 'string', value: '.spec.cni.default' },
    { name: 'Display name', type: 'string', value: '.spec.displayName', priority: 1 },
    { name: 'Promise', type: 'string', value: '.spec.availability.kind', priority: 1 },
    { name: 'Description', type: 'string', value: '.spec.description', priority: 1 },
    { name: 'Upgrade', type: 'string', value: '.spec.upgradeStrategy', priority: 1 },
    { name: 'Healing', type: 'string', value: '.spec.healing.strategy', priority: 1 },
    { name: 'Ready', type: 'string', value: '.status.conditions[?(@.type=="Ready")].status' },
    AGE_COLUMN,
  ],
  immutable: [],
  rules: [
    crossFieldRule<{ readonly interval: string }>({
      path: 'spec.etcd.snapshots',
      field: 'spec.etcd.snapshots.interval',
      cel: `!${isDurationCel('self.interval')} || duration(self.interval) >= duration('1m')`,
      holds: ({ interval }) => durationMs(interval) >= 60_000,
      message: 'must be at least 1m',
    }),
    ...PLAN_STORAGE_RULES,
  ],
});
