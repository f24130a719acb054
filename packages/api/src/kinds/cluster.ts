import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { MAX_CLUSTER_NAME_LENGTH } from '../names.ts';
import { int32, ipv4Cidr, kubernetesVersion } from '../schema/scalars.ts';
import { addonStatuses } from './cluster-addons.ts';
import { autoscalerSpec } from './cluster-autoscaler.ts';
import { credentialsStatus } from './cluster-credentials.ts';
import { endOfLifeStatus } from './cluster-end-of-life.ts';
import { etcdSpec, etcdStatus } from './cluster-etcd.ts';
import { HIBERNATION_RULES, hibernationSpec, hibernationStatus } from './cluster-hibernation.ts';
import { MAINTENANCE_RULES, maintenanceSpec, maintenanceStatus } from './cluster-maintenance.ts';
import { clusterNetworkSpec, clusterNetworkStatus } from './cluster-network.ts';
import { nodeProxy, registryMirrors } from './cluster-nodes.ts';
import { apiServerSpec, cniSpec, kubeProxySpec } from './cluster-options.ts';
import { resetSpec, resetStatus } from './cluster-reset.ts';
import { CLUSTER_RULES } from './cluster-rules.ts';
import { forcedUpgradeStatus } from './forced-upgrade.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, OPERATION_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { limitPoliciesStatus } from './limit-policies.ts';
import {
  conditions,
  durations,
  INITIAL_STATUS,
  lastOperation,
  ORIGIN_RULES,
  observedGeneration,
  originUID,
} from './status.ts';

const clusterSpec = z
  .object({
    plan: z
      .string()
      .min(1)
      .max(63)
      .default('free')
      .describe(
        'Name of the Plan, which sets limits and service levels. It can be changed: the cluster keeps its addresses, pod network and kube-proxy mode, and its pools must be within the limits of the new Plan.',
      ),
    version: kubernetesVersion()
      .optional()
      .describe(
        'Kubernetes version: a minor version such as 1.34, whose newest patches are installed according to updatePolicy, or an exact version such as 1.34.2, which never changes. Default: the newest supported version at creation, then the patches of its minor version according to updatePolicy. The version can be raised by one minor version at a time, and lowered only together with a reset.',
      ),
    region: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe("OpenStack region. Default: the cloud's only or default region. Immutable."),
    updatePolicy: z
      .enum(['AlwaysUpdate', 'MinimalDowntime', 'NeverUpdate'])
      .default('AlwaysUpdate')
      .describe(
        "How new patches of the cluster's minor version are installed if spec.version is not an exact version. AlwaysUpdate: when the rollout reaches the cluster (spec.rollout of the KubernetesRelease), even if the API server is unavailable for a few minutes. MinimalDowntime: only if the API server stays available, which requires several replicas; otherwise the condition UpToDate reports that the patch is waiting. NeverUpdate: only when the user requests it. A waiting patch is installed by setting spec.version to its exact version.",
      ),
    credentialName: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        'Name of the CloudCredential in the same namespace with which Fairway acts for this cluster. It can be changed to another CloudCredential of the same project. Default: none; the cluster then uses the cloud that the operator assigned to the namespace.',
      ),
    network: clusterNetworkSpec.prefault({}),
    podCIDR: ipv4Cidr()
      .optional()
      .describe(
        'CIDR of pods, with a /24 for each node; must be private, and /16 or larger. Default: the CIDR that the plan sets. Immutable.',
      ),
    serviceCIDR: ipv4Cidr()
      .optional()
      .describe(
        'CIDR of Services; must be private, and /16 or larger where the plan allows a choice. Default: the CIDR that the plan sets. Immutable.',
      ),
    registryMirrors,
    proxy: nodeProxy,
    kubeProxy: kubeProxySpec.prefault({}),
    cni: cniSpec.prefault({}),
    apiServer: apiServerSpec.prefault({}),
    etcd: etcdSpec.optional(),
    autoscaler: autoscalerSpec.prefault({}),
    maintenance: maintenanceSpec.optional(),
    hibernation: hibernationSpec.optional(),
    reset: resetSpec.optional(),
    image: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Image of the nodes, by ID or name, for pools that do not set an image. Default: the image that the operator configured.',
      ),
  })
  .describe('Desired state of the cluster.');

const clusterStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    originUID: originUID().optional(),
    phase: z
      .enum([
        'Pending',
        'Provisioning',
        'Ready',
        'Updating',
        'Hibernating',
        'Hibernated',
        'Waking',
        'Resetting',
        'Degraded',
        'Failed',
        'Deleting',
      ])
      .optional()
      .describe('Phase of the cluster, for human readers. Programs should use the conditions instead.'),
    conditions: conditions()
      .optional()
      .describe(
        'Conditions of the cluster. Ready summarizes NetworkReady, ControlPlaneReady and NodePoolsReady. Further conditions: SnapshotsReady, ControlPlaneHighlyAvailable, FieldsApplied, UpToDate (the cluster runs the version that its spec.version and updatePolicy select), VersionSupported, CredentialExpiresSoon, CredentialsStable, AuthorityExpiresSoon, WakingPossible and AddonsReady.',
      ),
    version: z.string().optional().describe('Exact version that the control plane runs.'),
    desiredVersion: z
      .string()
      .max(16)
      .optional()
      .describe(
        'Exact target version of the control plane: equal to `version`, or the version to which it is being upgraded.',
      ),
    availablePatch: z
      .string()
      .max(16)
      .optional()
      .describe("Newest patch of the cluster's minor version, if it is newer than `version`."),
    nextUpgradeVersions: z
      .array(z.string())
      .optional()
      .describe('Minor versions to which spec.version can be raised; empty while nodes are too old.'),
    endOfLife: endOfLifeStatus.optional(),
    forcedUpgrade: forcedUpgradeStatus.optional(),
    upToDate: z.boolean().optional().describe('Whether the control plane and all nodes run the target version.'),
    endpoint: z
      .object({
        host: z.string().describe('Host name or address.'),
        port: int32().describe('TCP port.'),
      })
      .optional()
      .describe("Endpoint of the cluster's API server."),
    url: z.string().optional().describe('The endpoint as a URL.'),
    caCertificate: z.string().optional().describe("CAs of the API server's certificate, in PEM."),
    credentials: credentialsStatus.optional(),
    projectID: z.string().optional().describe('ID of the OpenStack project of the cluster.'),
    keystone: z
      .object({ projects: z.array(z.string()).max(16).describe('IDs of the projects whose users have access.') })
      .optional()
      .describe("Keystone users who have access to the cluster's API server. Absent if none have access."),
    network: clusterNetworkStatus.optional(),
    podCIDR: z.string().optional().describe('CIDRs of pods.'),
    serviceCIDR: z.string().optional().describe('CIDRs of Services.'),
    cni: z.string().optional().describe('Pod network of the cluster.'),
    cniInstaller: z
      .enum(['Fairway', 'Tenant'])
      .optional()
      .describe(
        'Who installs the pod network, determined at creation: Tenant for type none, for pod networks that Fairway does not install, and for clusters created by Fairway releases that did not install a pod network.',
      ),
    kubeProxyMode: z.string().optional().describe('kube-proxy mode of the cluster.'),
    nodes: z
      .object({
        desired: int32().describe('Desired number of nodes in all pools.'),
        current: int32().describe('Number of machines in any state.'),
        ready: int32().describe('Number of nodes that are Ready.'),
        upToDate: int32().describe('Number of nodes that match their pool and the target version.'),
        oldestVersion: z.string().max(32).optional().describe('Oldest kubelet version of the nodes.'),
      })
      .optional()
      .describe('Nodes of all pools.'),
    readySummary: z.string().optional().describe('Ready and desired nodes as ready/desired, for the READY column.'),
    etcd: etcdStatus.optional(),
    maintenance: maintenanceStatus.optional(),
    hibernation: hibernationStatus.optional(),
    addons: addonStatuses().optional(),
    limitPolicies: limitPoliciesStatus.optional(),
    reset: resetStatus.optional(),
    lastOperation: lastOperation().optional().describe('Current or last operation and its progress.'),
    durations: durations().optional(),
  })
  .describe('Observed state of the cluster.');

export type ClusterSpec = z.infer<typeof clusterSpec>;
export type ClusterStatus = z.infer<typeof clusterStatus>;
export type ClusterPhase = NonNullable<ClusterStatus['phase']>;

export interface Cluster extends KubeObject {
  spec: ClusterSpec;
  status?: ClusterStatus;
}

/** A Cluster as written by a user, without defaults. */
export interface NewCluster extends KubeObject {
  spec: z.input<typeof clusterSpec>;
}

export const clusters = defineKind<Cluster>({
  plural: 'clusters',
  singular: 'cluster',
  kind: 'Cluster',
  namespaced: true,
  shortNames: ['fc'],
  description: 'Cluster is a managed Kubernetes cluster on an OpenStack cloud.',
  spec: clusterSpec,
  status: clusterStatus,
  initialStatus: INITIAL_STATUS,
  nameMaxLength: MAX_CLUSTER_NAME_LENGTH,
  columns: [
    { name: 'Version', type: 'string', value: '.status.version', description: 'Version of the control plane.' },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Ready', type: 'string', value: '.status.readySummary', description: 'Ready and desired nodes.' },
    OPERATION_COLUMN,
    { name: 'Plan', type: 'string', value: '.spec.plan' },
    {
      name: 'HA',
      type: 'string',
      description:
        'Whether the control plane is as available as the plan promises. Empty if the plan promises only one replica.',
      value: '.status.conditions[?(@.type=="ControlPlaneHighlyAvailable")].status',
      priority: 1,
    },
    { name: 'Endpoint', type: 'string', value: '.status.url', priority: 1 },
    { name: 'Network', type: 'string', value: '.status.network.networkID', priority: 1 },
    {
      name: 'Hibernates',
      type: 'string',
      description: 'Time when a schedule will next hibernate the cluster.',
      value: '.status.hibernation.next.hibernate',
      priority: 1,
    },
    {
      name: 'Wakes',
      type: 'string',
      description: 'Time when a schedule will next wake the cluster up.',
      value: '.status.hibernation.next.wake',
      priority: 1,
    },
    {
      name: 'Maintenance',
      type: 'string',
      description: 'Start of the current or next maintenance window. Empty if the cluster has no maintenance window.',
      value: '.status.maintenance.window.start',
      priority: 1,
    },
    {
      name: 'Forced upgrade',
      type: 'string',
      description:
        'Time from which Fairway upgrades the cluster automatically because its minor version reaches its end of life.',
      value: '.status.endOfLife.upgrade.time',
      priority: 1,
    },
    PAUSED_COLUMN,
    AGE_COLUMN,
    MESSAGE_COLUMN,
  ],
  immutable: [
    'spec.region',
    'spec.network.networkID',
    'spec.network.subnetID',
    'spec.network.nodesCIDR',
    'spec.network.podRoutes',
    'spec.podCIDR',
    'spec.serviceCIDR',
    'spec.kubeProxy.mode',
    'spec.cni.type',
  ],
  rules: [...CLUSTER_RULES, ...MAINTENANCE_RULES, ...HIBERNATION_RULES],
  transitions: ORIGIN_RULES,
});
