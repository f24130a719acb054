import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { nodeProxy, registryMirrors } from './cluster-nodes.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { kubeletSettings } from './kubelet-settings.ts';
import { machineInstalled, reinstall } from './machine-installation.ts';
import { machineMarks } from './machine-marks.ts';
import { rootVolume } from './node-pool.ts';
import { poolNetworks } from './pool-networks.ts';
import { conditions, lastOperation, ORIGIN_RULES, observedGeneration, originUID } from './status.ts';

const nodeSettings = z
  .object({ kubelet: kubeletSettings.optional(), registryMirrors, proxy: nodeProxy })
  .describe('Node settings of the pool and the cluster. If these settings change, the node is reinstalled.');

const machineSpec = z
  .object({
    clusterName: z.string().min(1).max(63).describe('Name of the Cluster. Immutable.'),
    nodePoolName: z.string().min(1).max(63).describe('Name of the NodePool. Immutable.'),
    zone: z
      .string()
      .max(63)
      .optional()
      .describe('Availability zone of the server. Default: the default zone of the cloud. Immutable.'),
    flavor: z.string().min(1).max(255).describe('Flavor of the server, by name or ID. Immutable.'),
    image: z
      .string()
      .min(1)
      .max(255)
      .describe('ID of the image from which the server boots. If this changes, the server is reinstalled.'),
    version: z
      .string()
      .min(1)
      .max(32)
      .describe('Exact Kubernetes version of the node. If this changes, the server is reinstalled.'),
    rootVolume: rootVolume.optional().describe('Volume from which the server boots. Immutable.'),
    networks: poolNetworks().describe('Additional networks of the server. Immutable.'),
    serverGroupID: z.string().max(63).optional().describe('ID of the server group of the server. Immutable.'),
    authorityGeneration: int32()
      .min(0)
      .optional()
      .describe(
        "Number of the rotation of the cluster's certificate authorities that the node must follow. Absent before the first rotation. If this number changes, the server is reinstalled.",
      ),
    nodeSettings: nodeSettings.optional(),
    reinstallTime: timestamp()
      .optional()
      .describe(
        'A new time requests a reinstallation of the server: the server keeps its ports, addresses and volumes, and gets a new root disk.',
      ),
    onDrainTimeout: z
      .enum(['Force', 'Hold'])
      .optional()
      .describe(
        'Hold: the machine is being deleted for an update, and its drain waits for pods even after the timeout. Set by the pool right before it deletes the machine.',
      ),
    resetTime: timestamp()
      .optional()
      .describe(
        'Value of status.reset.emptiedTime of the cluster for which the machine was created. A machine with a different value was created before a reset: its server is reinstalled or deleted.',
      ),
    floatingIP: z.boolean().default(false).describe('Whether the server has a floating IP.'),
  })
  .describe('Desired state of the machine. Set by the pool, which replaces a Machine that is deleted.');

/** Keys of the metadata applied to the node, recorded so that it can be removed later: taints as `key:effect`. */
const appliedTemplate = z
  .object({
    labels: z.array(z.string()).describe('Keys of the labels.'),
    annotations: z.array(z.string()).describe('Keys of the annotations.'),
    finalizers: z
      .array(z.string())
      .optional()
      .describe('Finalizers. Absent if the record was written by an earlier release.'),
    taints: z.array(z.string()).describe('Taints, as key:effect.'),
    unschedulable: z.boolean().describe('Whether the template cordoned the node.'),
  })
  .describe(
    "What the pool's template has set on the node, recorded so that anything the template no longer contains is removed and changes by others are kept.",
  );

/** Keys of the labels applied to the server, recorded so that they can be removed later. */
const appliedServerLabels = z
  .object({
    tags: z.array(z.string()).describe('Tags.'),
    metadata: z.array(z.string()).describe('Keys of the metadata.'),
  })
  .describe(
    "What the pool's serverTags and serverMetadata have set on the server, recorded so that anything they no longer contain is removed and changes by others are kept.",
  );

const startup = z
  .object({
    serverID: z.string().describe('ID of the server.'),
    activeTime: timestamp().describe(
      'Time when the server was first seen ACTIVE while the network of its cluster was ready; nodeStartupTimeout counts from then.',
    ),
    timedOutTime: timestamp()
      .optional()
      .describe('Time when nodeStartupTimeout expired before the server had become a node.'),
    console: z
      .array(z.string().max(256))
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe("Last lines of the server's console at that time, without control characters."),
  })
  .describe('Startup of the server until it has become a node.');

const machineStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    originUID: originUID().optional(),
    phase: z
      .enum(['Pending', 'Installing', 'Ready', 'NotReady', 'Draining', 'Terminated'])
      .optional()
      .describe(
        'Phase of the machine. Pending: it has no server yet. Installing: the server has not become a node yet, or has not become one again after a reinstallation.',
      ),
    conditions: conditions()
      .optional()
      .describe('Conditions of the machine. Ready summarizes ServerReady, NodeReady, Installed and Drained.'),
    serverID: z.string().optional().describe('ID of the server in Nova.'),
    rootVolumeID: z
      .string()
      .max(255)
      .optional()
      .describe(
        'ID of the Cinder volume from which the server boots, if spec.rootVolume is set. The volume is deleted with the server.',
      ),
    serverStatus: z.string().optional().describe('Status of the server in Nova.'),
    zone: z
      .string()
      .max(255)
      .optional()
      .describe('Actual availability zone of the server, even if the cloud chose it.'),
    addresses: z
      .array(
        z.object({
          type: z.enum(['InternalIP', 'ExternalIP', 'Hostname']).describe('Type of the address, as on a Node.'),
          address: z.string().describe('The address.'),
        }),
      )
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Addresses of the server.'),
    address: z.string().optional().describe('First internal address, for the ADDRESS column.'),
    nodeName: z.string().optional().describe("Name of the Node in the tenant's cluster."),
    version: z.string().optional().describe('Version reported by the kubelet.'),
    installed: machineInstalled.optional(),
    reinstall: reinstall.optional(),
    readyTime: timestamp().optional().describe('Time when the node was first Ready after the installation.'),
    startup: startup.optional(),
    notReadyTime: timestamp()
      .optional()
      .describe('Time since which the node has not been Ready or has been late to join; healing counts from then.'),
    appliedTemplate: appliedTemplate.optional(),
    appliedServerLabels: appliedServerLabels.optional(),
    marks: machineMarks.optional(),
    lastOperation: lastOperation().optional().describe('Current or last operation and its progress.'),
  })
  .describe('Observed state of the machine.');

export type MachineSpec = z.infer<typeof machineSpec>;
export type MachineStatus = z.infer<typeof machineStatus>;
export type MachineStartup = z.infer<typeof startup>;
export type AppliedServerLabels = z.infer<typeof appliedServerLabels>;
export type AppliedTemplate = z.infer<typeof appliedTemplate>;
export type MachinePhase = NonNullable<MachineStatus['phase']>;

export interface Machine extends KubeObject {
  spec: MachineSpec;
  status?: MachineStatus;
}

export const machines = defineKind<Machine>({
  plural: 'machines',
  singular: 'machine',
  kind: 'Machine',
  namespaced: true,
  shortNames: ['ma'],
  description:
    'Machine is one node of a pool and its server. It is created by its pool, which replaces it if it is deleted.',
  spec: machineSpec,
  status: machineStatus,
  columns: [
    { name: 'Pool', type: 'string', value: '.spec.nodePoolName' },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Node', type: 'string', value: '.status.nodeName' },
    { name: 'Zone', type: 'string', value: '.status.zone' },
    { name: 'Address', type: 'string', value: '.status.address' },
    { name: 'Version', type: 'string', value: '.status.version' },
    { name: 'Cluster', type: 'string', value: '.spec.clusterName', priority: 1 },
    { name: 'Flavor', type: 'string', value: '.spec.flavor', priority: 1 },
    { name: 'Server', type: 'string', value: '.status.serverID', priority: 1 },
    PAUSED_COLUMN,
    AGE_COLUMN,
    MESSAGE_COLUMN,
  ],
  immutable: [
    'spec.clusterName',
    'spec.nodePoolName',
    'spec.zone',
    'spec.flavor',
    'spec.rootVolume',
    'spec.networks',
    'spec.serverGroupID',
  ],
  rules: [],
  transitions: ORIGIN_RULES,
});
