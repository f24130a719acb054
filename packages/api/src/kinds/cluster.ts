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
import { apiServerSpec, cniSpec, kubeProxySpec } from './cluster-options.ts';
import { resetSpec, resetStatus } from './cluster-reset.ts';
import { CLUSTER_RULES } from './cluster-rules.ts';
import { forcedUpgradeStatus } from './forced-upgrade.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, OPERATION_COLUMN, PAUSED_COLUMN } from './kind.ts';
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
        'Name of the Plan, which sets limits and promises. Another one may be named later: the cluster keeps its addresses, pod network and kube-proxy mode, and its pools must be within the limits.',
      ),
    version: kubernetesVersion()
      .optional()
      .describe(
        'Kubernetes version: a minor version (1.34: its newest patch, by updatePolicy) or an exact one (1.34.2), which is never changed. Empty: the newest supported at creation, then the patches of that minor version by updatePolicy. It can be raised by one minor version at a time, and lowered only along with a reset.',
      ),
    region: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe("OpenStack region. Empty: the cloud's only or default region. Immutable."),
    updatePolicy: z
      .enum(['AlwaysUpdate', 'MinimalDowntime', 'NeverUpdate'])
      .default('AlwaysUpdate')
      .describe(
        'What to do about a new patch of the minor version that the cluster runs, where spec.version names no exact one. AlwaysUpdate: take it when its turn comes (KubernetesRelease spec.rollout), even if the API server is away for some minutes. MinimalDowntime: take it only if the API server is never away, which needs several copies of it; else the condition UpToDate says that it waits. NeverUpdate: leave it to the user. A waiting patch is taken by naming it in spec.version.',
      ),
    credentialName: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        'CloudCredential of the same namespace with which Fairway acts for this cluster. It may be replaced by another of the same project. Empty: the cloud that the operator has given the namespace.',
      ),
    network: clusterNetworkSpec.prefault({}),
    podCIDR: ipv4Cidr()
      .optional()
      .describe("Addresses of pods, /24 for each node; private, /16 or larger. Empty: the plan's. Immutable."),
    serviceCIDR: ipv4Cidr()
      .optional()
      .describe(
        "Addresses of Services; private, /16 or larger where the plan lets one choose. Empty: the plan's. Immutable.",
      ),
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
      .describe("Image of the nodes, by id or name, where a pool names none. Empty: the operator's default."),
  })
  .describe('What the cluster should be.');

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
      .describe('The state in a word, for people. Programs read conditions.'),
    conditions: conditions()
      .optional()
      .describe(
        'Ready, and what it consists of: NetworkReady, ControlPlaneReady, NodePoolsReady. SnapshotsReady, ControlPlaneHighlyAvailable, FieldsApplied, UpToDate (whether it runs the version that its spec and policy lead to), VersionSupported, CredentialExpiresSoon, CredentialsStable, AuthorityExpiresSoon, WakingPossible and AddonsReady stand beside it.',
      ),
    version: z.string().optional().describe('Exact version that the control plane runs.'),
    desiredVersion: z
      .string()
      .max(16)
      .optional()
      .describe(
        'Exact version that the control plane is to run: that of `version`, or the one that it is being brought to.',
      ),
    availablePatch: z
      .string()
      .max(16)
      .optional()
      .describe('Newest patch of the minor version that the cluster runs, while it is newer than `version`.'),
    nextUpgradeVersions: z
      .array(z.string())
      .optional()
      .describe('Minor versions that spec.version can be raised to; none while nodes are too old.'),
    endOfLife: endOfLifeStatus.optional(),
    forcedUpgrade: forcedUpgradeStatus.optional(),
    upToDate: z.boolean().optional().describe('Whether control plane and all nodes run the version asked for.'),
    endpoint: z
      .object({
        host: z.string().describe('Host name or address.'),
        port: int32().describe('TCP port.'),
      })
      .optional()
      .describe("Where the cluster's API server is reached."),
    url: z.string().optional().describe('The endpoint as a URL.'),
    caCertificate: z.string().optional().describe("PEM of the CAs that the API server's certificate comes from."),
    credentials: credentialsStatus.optional(),
    projectID: z.string().optional().describe('OpenStack project that the cluster lives in.'),
    keystone: z
      .object({ projects: z.array(z.string()).max(16).describe('Ids of the projects whose users are let in.') })
      .optional()
      .describe("Users of Keystone that the cluster's API server lets in; none without it."),
    network: clusterNetworkStatus.optional(),
    podCIDR: z.string().optional().describe('Addresses of pods in use.'),
    serviceCIDR: z.string().optional().describe('Addresses of Services in use.'),
    cni: z.string().optional().describe('Pod network in use.'),
    cniInstaller: z
      .enum(['Fairway', 'Tenant'])
      .optional()
      .describe(
        'Who installs the pod network, decided when the cluster is made: Tenant for type none, for what Fairway does not install, and for clusters of releases that installed none.',
      ),
    kubeProxyMode: z.string().optional().describe('kube-proxy mode in use.'),
    nodes: z
      .object({
        desired: int32().describe('Nodes that the pools ask for.'),
        current: int32().describe('Machines that exist, whatever their state.'),
        ready: int32().describe('Nodes that are Ready.'),
        upToDate: int32().describe('Nodes that match their pool and version.'),
        oldestVersion: z.string().max(32).optional().describe('Oldest version of a kubelet.'),
      })
      .optional()
      .describe('Nodes of all pools.'),
    readySummary: z.string().optional().describe('ready/desired, for the READY column.'),
    etcd: etcdStatus.optional(),
    maintenance: maintenanceStatus.optional(),
    hibernation: hibernationStatus.optional(),
    addons: addonStatuses().optional(),
    reset: resetStatus.optional(),
    lastOperation: lastOperation().optional().describe('What is being done, and how far it is.'),
    durations: durations().optional(),
  })
  .describe('What the cluster is.');

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
    { name: 'Ready', type: 'string', value: '.status.readySummary', description: 'Nodes ready/desired.' },
    OPERATION_COLUMN,
    { name: 'Plan', type: 'string', value: '.spec.plan' },
    {
      name: 'HA',
      type: 'string',
      description:
        'Whether the control plane is as available as the plan promises; empty where the plan promises one copy.',
      value: '.status.conditions[?(@.type=="ControlPlaneHighlyAvailable")].status',
      priority: 1,
    },
    { name: 'Endpoint', type: 'string', value: '.status.url', priority: 1 },
    { name: 'Network', type: 'string', value: '.status.network.networkID', priority: 1 },
    {
      name: 'Hibernates',
      type: 'string',
      description: 'When a schedule hibernates the cluster next.',
      value: '.status.hibernation.next.hibernate',
      priority: 1,
    },
    {
      name: 'Wakes',
      type: 'string',
      description: 'When a schedule wakes the cluster next.',
      value: '.status.hibernation.next.wake',
      priority: 1,
    },
    {
      name: 'Maintenance',
      type: 'string',
      description: 'When the maintenance window begins that is open, or opens next; empty where the cluster has none.',
      value: '.status.maintenance.window.start',
      priority: 1,
    },
    {
      name: 'Forced upgrade',
      type: 'string',
      description: 'From when on the cluster is upgraded without being asked, because its minor version ends.',
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
