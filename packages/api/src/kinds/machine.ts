import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { installed, reinstall } from './machine-installation.ts';
import { machineMarks } from './machine-marks.ts';
import { rootVolume } from './node-pool.ts';
import { conditions, lastOperation, ORIGIN_RULES, observedGeneration, originUID } from './status.ts';

const machineSpec = z
  .object({
    clusterName: z.string().min(1).max(63).describe('Cluster that the machine belongs to. Immutable.'),
    nodePoolName: z.string().min(1).max(63).describe('Pool that the machine belongs to. Immutable.'),
    zone: z
      .string()
      .max(63)
      .optional()
      .describe("Availability zone of the server. Empty: the cloud's default. Immutable."),
    flavor: z.string().min(1).max(255).describe('Flavor of the server, by name or id. Immutable.'),
    image: z
      .string()
      .min(1)
      .max(255)
      .describe('Image that the server boots from, by id. Another one has it reinstalled.'),
    version: z
      .string()
      .min(1)
      .max(32)
      .describe('Exact Kubernetes version of the node. Another one has it reinstalled.'),
    rootVolume: rootVolume.optional().describe('Volume that the server boots from. Immutable.'),
    serverGroupID: z.string().max(63).optional().describe('Server group that the server is part of. Immutable.'),
    authorityGeneration: int32()
      .min(0)
      .optional()
      .describe(
        "Rotation of the cluster's certificate authorities that the node is to be installed after; absent for the first ones. Another one has it reinstalled.",
      ),
    reinstallTime: timestamp()
      .optional()
      .describe('A new time has the server reinstalled: same server, ports, addresses and volumes, a new root disk.'),
    onDrainTimeout: z
      .enum(['Force', 'Hold'])
      .optional()
      .describe(
        'Hold: it is removed because it is renewed, and its drain waits for pods beyond the time limit. Its pool writes it right before that.',
      ),
    resetTime: timestamp()
      .optional()
      .describe(
        'status.reset.emptiedTime of the cluster that it is made for. A machine with another one belongs to the cluster of before a reset: its server is installed anew, or goes.',
      ),
    floatingIP: z.boolean().default(false).describe('Whether the server has a floating IP.'),
  })
  .describe('What the machine should be. Its pool writes this; deleting a Machine replaces it.');

/** Keys of what was applied to the node, so that it can be removed later: taints as `key:effect`. */
const appliedTemplate = z
  .object({
    labels: z.array(z.string()).describe('Keys of labels.'),
    annotations: z.array(z.string()).describe('Keys of annotations.'),
    finalizers: z.array(z.string()).optional().describe('Finalizers; none in records of earlier releases.'),
    taints: z.array(z.string()).describe('Taints, as key:effect.'),
    unschedulable: z.boolean().describe('Whether the node was cordoned.'),
  })
  .describe(
    "What the pool's template has put on the node, so that what it no longer asks for goes and what others put there stays.",
  );

const startup = z
  .object({
    serverID: z.string().describe('Server that this is about.'),
    activeTime: timestamp().describe(
      'When the server was first seen ACTIVE while the network of its cluster was ready; nodeStartupTimeout counts from here.',
    ),
    timedOutTime: timestamp().optional().describe('When nodeStartupTimeout was over and there was no node.'),
    console: z
      .array(z.string().max(256))
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe("Last lines of the server's console at that time, without control characters."),
  })
  .describe('How the server becomes a node, until it has.');

const machineStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    originUID: originUID().optional(),
    phase: z
      .enum(['Pending', 'Installing', 'Ready', 'NotReady', 'Draining', 'Terminated'])
      .optional()
      .describe(
        'The state in a word. Pending: no server yet; Installing: the server has not become a node yet, or not again.',
      ),
    conditions: conditions()
      .optional()
      .describe('Ready, and what it consists of: ServerReady, NodeReady, Installed, Drained.'),
    serverID: z.string().optional().describe('Nova server.'),
    serverStatus: z.string().optional().describe('Status of the server, in the words of Nova.'),
    addresses: z
      .array(
        z.object({
          type: z.enum(['InternalIP', 'ExternalIP', 'Hostname']).describe('Kind of address, as on a Node.'),
          address: z.string().describe('The address.'),
        }),
      )
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Addresses of the server.'),
    address: z.string().optional().describe('First internal address, for the ADDRESS column.'),
    nodeName: z.string().optional().describe("Node in the tenant's cluster."),
    version: z.string().optional().describe('Version that the kubelet reports.'),
    installed: installed.optional(),
    reinstall: reinstall.optional(),
    readyTime: timestamp().optional().describe('When the node was first Ready with what is installed.'),
    startup: startup.optional(),
    notReadyTime: timestamp()
      .optional()
      .describe('Since when the node is not Ready, or has not joined in time; healing counts from here.'),
    appliedTemplate: appliedTemplate.optional(),
    marks: machineMarks.optional(),
    lastOperation: lastOperation().optional().describe('What is being done, and how far it is.'),
  })
  .describe('What the machine is.');

export type MachineSpec = z.infer<typeof machineSpec>;
export type MachineStatus = z.infer<typeof machineStatus>;
export type MachineStartup = z.infer<typeof startup>;
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
  description: 'Machine is one node of a pool with its server. Its pool makes it; deleting it replaces it.',
  spec: machineSpec,
  status: machineStatus,
  columns: [
    { name: 'Pool', type: 'string', value: '.spec.nodePoolName' },
    { name: 'Phase', type: 'string', value: '.status.phase' },
    { name: 'Node', type: 'string', value: '.status.nodeName' },
    { name: 'Zone', type: 'string', value: '.spec.zone' },
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
    'spec.serverGroupID',
  ],
  rules: [],
  transitions: ORIGIN_RULES,
});
