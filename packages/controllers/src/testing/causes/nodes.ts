import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { ServiceApi } from '@fairway/openstack/service-api';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import type { SwitchedFaults } from '../lasting-causes.ts';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS } from './cause.ts';

/** Gives the only machine's node the status that a kubelet would report. */
export async function failNode(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  const nodes = fairway.runtime.client(cluster ? identityOf(cluster) : '').resource(tenantNodes);
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' };
  const value = { status: { conditions: [condition] } };
  await nodes.patch(machine?.metadata.name ?? '', { type: 'merge', value }, { subresource: 'status' });
}

/** Requests new nodes, none of whose servers joins. */
async function requestNodesThatNeverJoin(fairway: TestFairway): Promise<void> {
  fairway.joinsNodes = false;
  const healing = { enabled: false };
  const upgradeStrategy = { type: 'Rolling' };
  await fairway.patch(nodePools, 'general', { spec: { image: 'Debian 12', healing, upgradeStrategy } });
}

async function deleteServer(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  await fairway.process.project.client.compute.servers.delete(machine?.status?.serverID ?? '');
}

/** The only server, and what anyone in its project may do with it. */
export async function serverOf(fairway: TestFairway) {
  const [machine] = await fairway.machines();
  const { session } = fairway.process.project.client;
  const api = new ServiceApi(session, 'compute', { name: 'compute', wanted: '2.90' });
  const params = { id: machine?.status?.serverID ?? '' };
  return { act: (body: object) => api.send('POST', '/servers/{id}/action', { params, body }) };
}

async function requestReinstall(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  const value = { spec: { reinstallTime: '2030-01-01T00:00:00Z' } };
  await fairway.patch(machines, machine?.metadata.name ?? '', value);
}

/** Creates a pod on the only node, protected by a PodDisruptionBudget. */
async function keepPod(
  fairway: TestFairway,
  faults: SwitchedFaults,
  budget?: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): Promise<void> {
  const [machine] = await fairway.machines();
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  const tenant = fairway.runtime.client(cluster ? identityOf(cluster) : '');
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  await tenant.resource(Pods).create({
    metadata: { name: 'database-0', namespace: 'default', ...(budget && { labels: budget.labels }) },
    spec: { containers: [{ name: 'database', image: 'postgres' }], nodeName: machine?.metadata.name ?? '' },
  });
  if (budget) {
    await tenant.resource(PodDisruptionBudgets).create({
      metadata: { name: budget.name, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: budget.labels } },
    });
  }
  faults.blocksEvictions = true;
}

/** Creates a cluster with a pool of one node with these healing settings. */
export function createWithHealing(healing: { enabled?: boolean; strategy?: 'Replace' }) {
  return async (fairway: TestFairway): Promise<void> => {
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, healing });
  };
}

/** Reports about servers and nodes. */
export const NODE_CAUSES: readonly Cause[] = [
  {
    cause: 'A server vanished',
    by: { from: 'a cluster', begin: deleteServer, request: () => undefined },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    reason: 'AsExpected',
    message: '',
    event: {
      kind: 'Machine',
      reason: 'ServerVanished',
      message: 'server {id} no longer exists: it was deleted in the cloud; the machine is replaced',
    },
  },
  {
    cause: 'A server has not joined',
    by: { from: 'nothing', nodesJoin: false, begin: createWithHealing({ enabled: false }), request: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Installing',
    reason: 'NodeStartupTimeout',
    message:
      "the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    event: {
      kind: 'Machine',
      reason: 'NodeStartupTimeout',
      message:
        "the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    },
  },
  {
    cause: 'A first node has not joined: its pool',
    by: { from: 'nothing', nodesJoin: false, begin: createWithHealing({ enabled: false }), request: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Degraded',
    reason: 'NodeStartupTimeout',
    message:
      "0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
  },
  {
    cause: 'A first node has not joined: its cluster',
    by: { from: 'nothing', nodesJoin: false, begin: createWithHealing({ enabled: false }), request: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'NodeStartupTimeout',
    message:
      "0/1 nodes are ready; pool general: 0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    event: {
      kind: 'Cluster',
      reason: 'Degraded',
      message:
        "0/1 nodes are ready; pool general: 0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    },
  },
  {
    cause: 'A node is not ready',
    by: { from: 'a cluster', begin: failNode, request: () => undefined },
    kind: 'Machine',
    phase: 'NotReady',
    reason: 'NodeNotReady',
    message: 'the node is not ready: container runtime is down',
    event: { kind: 'Machine', reason: 'NotReady', message: 'the node is not ready: container runtime is down' },
  },
  {
    cause: 'A node is not ready: its pool',
    by: { from: 'a cluster', begin: failNode, request: () => undefined },
    kind: 'NodePool',
    phase: 'Degraded',
    reason: 'NodeNotReady',
    message: '0/1 nodes are ready; {machine}: the node is not ready: container runtime is down',
  },
  {
    cause: 'The new nodes of an upgrade do not join',
    by: {
      from: 'a cluster',
      begin: requestNodesThatNeverJoin,
      request: () => undefined,
    },
    afterMs: 15 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Updating',
    condition: 'UpToDate',
    reason: 'UpgradeHalted',
    message: `1 of 2 machines have a version, image, flavor, root volume, zone or network other than the pool's spec requires; since {time}: no further node is updated, because {machine} is already updated and does not work: the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:; since {time}. The upgrade continues when it is repaired or replaced; to continue regardless: kubectl annotate nodepool general fairway.dev/retry-requested="$(date)" --overwrite`,
  },
  {
    cause: 'A PodDisruptionBudget blocks a drain',
    by: {
      from: 'a cluster',
      begin: keepPod,
      request: async (fairway) => {
        const [machine] = await fairway.machines();
        await fairway.delete(machines, machine?.metadata.name ?? '');
      },
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Draining',
    reason: 'PodDisruptionBudget',
    message:
      'a PodDisruptionBudget blocks the eviction of default/database-0: run more replicas, or relax the budget; the server is deleted by {time} at the latest; since {time}',
    event: {
      kind: 'Machine',
      reason: 'PodDisruptionBudget',
      message:
        'a PodDisruptionBudget blocks the eviction of default/database-0: run more replicas, or relax the budget; the server is deleted by {time} at the latest',
    },
  },
  {
    cause: 'A drain times out because of a PodDisruptionBudget',
    by: {
      from: 'a cluster',
      begin: async (fairway, faults) => {
        await keepPod(fairway, faults, { name: 'database', labels: { app: 'database' } });
      },
      request: async (fairway) => {
        const [machine] = await fairway.machines();
        await fairway.delete(machines, machine?.metadata.name ?? '');
      },
    },
    afterMs: 15 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Ready',
    reason: 'AsExpected',
    message: '',
    event: {
      kind: 'Machine',
      reason: 'DrainTimedOut',
      message:
        'the drain timed out, so the server is deleted with the remaining pods: PodDisruptionBudget default/database blocks the eviction of default/database-0: run more replicas, or relax the budget',
    },
  },
  {
    cause: 'A PodDisruptionBudget blocks a node update',
    by: {
      from: 'a cluster',
      begin: keepPod,
      request: async (fairway) => {
        const upgradeStrategy = { type: 'InPlace', drainTimeout: '1m', onDrainTimeout: 'Hold' };
        await fairway.patch(nodePools, 'general', { spec: { image: 'Debian 12', upgradeStrategy } });
      },
    },
    afterMs: 5 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Draining',
    reason: 'DrainHeld',
    message:
      'the drain timed out and has been held since {time} (onDrainTimeout: Hold): a PodDisruptionBudget blocks the eviction of default/database-0: run more replicas, or relax the budget; to remove the node together with them: fairway machine drain {machine} --force',
  },
  {
    cause: 'A server was stopped',
    by: {
      from: 'a cluster',
      begin: async (fairway) => (await serverOf(fairway)).act({ 'os-stop': null }),
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Machine',
    phase: 'NotReady',
    reason: 'ServerStopped',
    message: 'the server is SHUTOFF, and Fairway did not stop it: openstack server start {id}',
    event: {
      kind: 'Machine',
      reason: 'NotReady',
      message: 'the server is SHUTOFF, and Fairway did not stop it: openstack server start {id}',
    },
  },
  {
    cause: 'A server to be reinstalled is locked',
    by: {
      from: 'a cluster',
      begin: async (fairway) => (await serverOf(fairway)).act({ lock: null }),
      request: requestReinstall,
    },
    kind: 'Machine',
    phase: 'Installing',
    reason: 'ServerLocked',
    message: 'the server is locked: openstack server unlock {id}',
  },
  {
    cause: 'The cloud cannot reinstall a server that boots from a volume',
    by: {
      from: 'nothing',
      cloud: { computeMicroversion: 90 },
      begin: async (fairway) => {
        await fairway.createCluster();
        await fairway.createPool({ replicas: 1, rootVolume: { sizeGiB: 50 } });
      },
      request: () => undefined,
      laterChange: requestReinstall,
    },
    kind: 'Machine',
    phase: 'Ready',
    condition: 'Installed',
    reason: 'ReinstallNotSupported',
    message:
      'the server boots from a volume, which Nova can reinstall only since microversion 2.93 (Zed), and the cloud is older; delete the Machine to have it replaced',
  },
  {
    cause: 'No other hypervisor is available for a pool with anti-affinity',
    by: {
      from: 'nothing',
      cloud: { zones: [{ name: 'nova-a', hosts: 2, hostVcpus: 64, hostRamMiB: 262_144, hostDiskGiB: 4_000 }] },
      begin: async (fairway) => {
        await fairway.createCluster();
        await fairway.createPool({ replicas: 3, antiAffinity: true });
      },
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'AntiAffinityUnsatisfiable',
    message:
      '2/3 nodes are ready; {machine}: the cloud has no other hypervisor for the server, and antiAffinity requires a separate one for each node of the pool: No valid host was found. There are not enough hosts available.; another one will be created after a delay. Reduce the number of nodes, or add nodes in a pool with antiAffinityPolicy Soft',
  },
  {
    cause: 'The server group of a pool with anti-affinity is full',
    by: {
      from: 'nothing',
      cloud: {
        quotas: {
          ...DEFAULT_CONFIG.quotas,
          compute: { ...DEFAULT_CONFIG.quotas.compute, server_group_members: 2 },
        },
      },
      begin: async (fairway) => {
        await fairway.createCluster();
        await fairway.createPool({ replicas: 3, antiAffinity: true, antiAffinityPolicy: 'Soft' });
      },
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      '2/3 nodes are ready; {machine}: compute: quota exceeded for servers in a server group; free resources or request a larger quota; Fairway then continues automatically',
  },
];
