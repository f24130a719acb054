import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { duration, int32, ipv4Cidr, isDurationCel, minutes } from '../schema/scalars.ts';
import { AGE_COLUMN, crossFieldRule, defineKind } from './kind.ts';
import { KUBELET_SETTINGS } from './kubelet-settings.ts';
import { limitPolicies } from './limit-policies.ts';
import { healingStrategy } from './node-pool-healing.ts';
import { clusterIPFamilies, FEATURE_NAMES, limitNotes, planKubernetes } from './plan-limits.ts';
import { planServices } from './plan-services.ts';
import { PLAN_STORAGE_RULES, planStorage } from './plan-storage.ts';
import { conditions, observedGeneration } from './status.ts';

const POD_NETWORKS = ['canal', 'cilium', 'none'] as const;
const KUBE_PROXY_MODES = ['iptables', 'ipvs', 'nftables', 'none'] as const;

const allowedNames = (what: string) =>
  z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .optional()
    .describe(`${what}: names, IDs or patterns such as "b3-*". Default: all.`);

const maximum = (what: string) =>
  int32()
    .min(0)
    .max(1000)
    .optional()
    .describe(`Maximum number of ${what} per NodePool; 0: none. Default: the general limit for NodePools.`);

const planSpec = z
  .object({
    displayName: z.string().min(1).max(63).describe('Display name.'),
    description: z.string().max(1024).optional().describe('Description of the plan.'),
    service: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe(
        'Service that the plan belongs to, such as "OpenStack Magnum": the heading of its limits on the limits page. If the name contains "Magnum", the page also states the limits of the Magnum API. Default: displayName.',
      ),
    limitsFrom: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        'Name of another Plan whose limits also apply here. Fairway copies the limits and limitNotes that it states into this Plan, where they replace other values; maxNodes, maxPodsPerNode, maxClusters and network (except ipFamilies) are not copied. That Plan cannot have limitsFrom itself. Default: this Plan states all its limits.',
      ),
    kubernetes: planKubernetes.optional(),
    controlPlane: z
      .object({
        topology: z
          .enum(['SingleZone', 'MultiZone'])
          .describe('Whether the control plane survives the loss of a zone.'),
        replicas: int32().min(1).max(5).describe('Number of replicas of each component.'),
        memoryMiB: int32()
          .min(768)
          .max(1_048_576)
          .optional()
          .describe(
            'Maximum memory of all components of one replica together, in MiB, for process-based control planes. A component that exceeds its share is restarted. Default: no limit.',
          ),
      })
      .describe('Control plane of the clusters.'),
    availability: z
      .object({
        target: z
          .string()
          .max(8)
          .regex(/^[0-9]{2}(\.[0-9]{1,3})?$/, 'must be a percentage such as "99.95"')
          .describe('Percentage of a month for which the API server is available.'),
        kind: z
          .enum(['Objective', 'Agreement'])
          .describe(
            'Objective: the service level is an objective (SLO). Agreement: it is an agreement (SLA) with consequences.',
          ),
      })
      .describe('Service level of the plan.'),
    etcd: z
      .object({
        topology: z.enum(['Shared', 'Dedicated']).describe('Whether clusters share one etcd or have dedicated ones.'),
        baseMiB: int32().min(1).describe('Quota of a cluster without nodes, in MiB.'),
        perNodeMiB: int32().min(0).describe('Additional quota per node, in MiB.'),
        maxMiB: int32().min(1).describe('Maximum quota, in MiB.'),
        snapshots: z
          .object({
            interval: duration().default('6h').describe('Interval between snapshots; at least 1m.'),
            keep: int32().min(1).max(100).default(28).describe('Number of snapshots to keep; the oldest are deleted.'),
          })
          .optional()
          .describe('Snapshots of the database, if the control plane keeps any. Default: none are taken.'),
      })
      .describe(
        "Databases of the clusters. The quota of a cluster's database is baseMiB + nodes * perNodeMiB, at most maxMiB; it never shrinks.",
      ),
    maxNodes: int32().min(1).describe('Maximum number of nodes per cluster.'),
    maxPodsPerNode: int32().min(1).max(250).describe('Maximum number of pods per node.'),
    maxClusters: int32()
      .min(1)
      .optional()
      .describe('Maximum number of clusters of this plan per namespace. Default: no limit.'),
    cni: z
      .object({
        default: z.enum(POD_NETWORKS).describe('Default pod network.'),
        allowed: z
          .array(z.enum(POD_NETWORKS))
          .min(1)
          .max(3)
          .default([...POD_NETWORKS])
          .describe('Pod networks that a Cluster can choose.'),
      })
      .describe('Pod networks.'),
    kubeProxy: z
      .object({
        default: z.enum(KUBE_PROXY_MODES).describe('Default kube-proxy mode.'),
        allowed: z
          .array(z.enum(KUBE_PROXY_MODES))
          .min(1)
          .max(4)
          .default([...KUBE_PROXY_MODES])
          .describe('kube-proxy modes that a Cluster can choose.'),
      })
      .describe('kube-proxy modes.'),
    network: z
      .object({
        podCIDR: ipv4Cidr().describe('Default CIDR of pods.'),
        serviceCIDR: ipv4Cidr().describe('Default CIDR of Services.'),
        nodesCIDR: ipv4Cidr().describe('Default CIDR of the subnet that Fairway creates.'),
        customCIDRs: z.boolean().describe('Whether a Cluster can set podCIDR and serviceCIDR.'),
        reservedCIDRs: z
          .array(ipv4Cidr())
          .max(20)
          .describe("Additional CIDRs that a cluster's networks must not overlap."),
        gatewayRequired: z.boolean().describe('Whether the subnet of the nodes must have an OpenStack router.'),
        ipFamilies: clusterIPFamilies.optional(),
      })
      .describe('Networks and CIDRs of the clusters.'),
    allowed: z
      .object({
        flavors: allowedNames('Flavors that a NodePool can use'),
        images: allowedNames('Images from which nodes can boot'),
        regions: allowedNames('Regions that a Cluster can use'),
        networks: allowedNames(
          'Networks that a Cluster can use as networkID, and NodePools as additional networks; networks that Fairway creates are always allowed',
        ),
        upgradeStrategies: z
          .array(z.enum(['InPlace', 'Rolling']))
          .min(1)
          .max(2)
          .optional()
          .describe('Upgrade strategies that a NodePool can use. Default: all.'),
        healingStrategies: z
          .array(healingStrategy())
          .min(1)
          .max(2)
          .optional()
          .describe('Healing strategies that a NodePool can use. Default: all.'),
        kubeletSettings: z
          .array(z.enum(KUBELET_SETTINGS))
          .max(KUBELET_SETTINGS.length)
          .optional()
          .describe(
            'Kubelet settings that a NodePool can have (spec.kubelet), by name. Default: all. Empty list: none.',
          ),
        unsafeSysctls: z
          .array(z.string().min(1).max(253))
          .max(100)
          .optional()
          .describe(
            'Sysctls that a NodePool can list in kubelet.allowedUnsafeSysctls: names, or patterns such as "net.core.*". Default: none.',
          ),
        registryMirrors: z.boolean().optional().describe('Whether a Cluster can have registryMirrors. Default: true.'),
        proxy: z.boolean().optional().describe('Whether a Cluster can have a proxy for its nodes. Default: true.'),
        antiAffinityPolicies: z
          .array(z.enum(['Hard', 'Soft']))
          .max(2)
          .optional()
          .describe(
            'Values of antiAffinityPolicy that NodePools can use. Default: both. Empty list: antiAffinity is not allowed.',
          ),
        features: z
          .array(z.enum(FEATURE_NAMES))
          .max(FEATURE_NAMES.length)
          .optional()
          .describe('Features that clusters can use. Default: all. Empty list: none of them.'),
      })
      .optional()
      .describe(
        'What clusters of this plan can choose. A change applies to new clusters and nodes: existing ones are kept, but a pool creates no further nodes with choices that are no longer allowed.',
      ),
    nodePools: z
      .object({
        allowInCluster: z
          .boolean()
          .optional()
          .describe(
            "Whether the NodePools of a cluster are also available within the cluster itself, for the tenant's own kubectl. Default: true, unless the operator disables this.",
          ),
        maxServerTags: maximum('server tags (serverTags)'),
        maxServerMetadata: maximum('server metadata items (serverMetadata)'),
        maxSecurityGroups: maximum('custom security groups (securityGroups)'),
        maxNetworks: maximum('additional networks (networks)'),
      })
      .optional()
      .describe('Settings and limits of NodePools.'),
    storage: planStorage.optional(),
    services: planServices.optional(),
    limitNotes: limitNotes.optional(),
    limitPolicies: limitPolicies.optional(),
    upgradeStrategy: z.enum(['InPlace', 'Rolling']).describe('Default for spec.upgradeStrategy.type of NodePools.'),
    drainTimeout: duration().describe(
      'Default for spec.upgradeStrategy.drainTimeout of NodePools: the maximum time that PodDisruptionBudgets can delay a drain before it is forced.',
    ),
    maxDrainTimeout: duration()
      .optional()
      .describe('Maximum drainTimeout of a NodePool. Higher values are reduced to this maximum. Default: no limit.'),
    healing: z
      .object({
        strategy: healingStrategy().describe(
          'Default for spec.healing.strategy of NodePools. Reinstall: reinstall the same server. Replace: create a new server to replace the old one.',
        ),
        notReadyTimeout: duration().describe(
          'Default for spec.healing.notReadyTimeout of NodePools: the duration for which a node must be NotReady before it is repaired.',
        ),
        nodeStartupTimeout: minutes()
          .optional()
          .describe(
            'Default for spec.nodeStartupTimeout of NodePools: the maximum time for a server to join as a node. Default: 10m.',
          ),
      })
      .describe('Healing of unhealthy nodes.'),
  })
  .describe('Desired state of the plan.');

const planStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions().optional().describe('Conditions of the plan. Ready: clusters can use it.'),
  })
  .describe('Observed state of the plan.');

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
  description: 'Plan is an offer of the operator: limits and service levels of the clusters that choose it.',
  spec: planSpec,
  status: planStatus,
  columns: [
    { name: 'Topology', type: 'string', value: '.spec.controlPlane.topology' },
    { name: 'Availability', type: 'string', value: '.spec.availability.target' },
    { name: 'Max nodes', type: 'integer', value: '.spec.maxNodes' },
    { name: 'CNI', type: 'string', value: '.spec.cni.default' },
    { name: 'Display name', type: 'string', value: '.spec.displayName', priority: 1 },
    { name: 'Kubernetes', type: 'string', value: '.spec.kubernetes.newest', priority: 1 },
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
