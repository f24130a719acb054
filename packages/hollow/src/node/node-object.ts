import { createHash } from 'node:crypto';
import { formatTime } from '@fairway/base/clock';
import type { Node, NodeAddress, NodeCondition, NodeStatus, NodeSystemInfo } from '@fairway/kube/kinds/generated/types';
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
  ZERO,
} from '@fairway/kube/object/quantity';
import type { NodeBootstrap } from './node-bootstrap.ts';
import type { ServerInfo } from './server-info.ts';

const KIB = 1024n;
const UNINITIALIZED_TAINT = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};
const PROVIDED_ADDRESS_ANNOTATION = 'alpha.kubernetes.io/provided-node-ip';

/** A node's state at a given time, in addition to its user data. */
export interface NodeRuntimeState {
  readonly nowMs: number;
  readonly version: string;
  readonly isNetworkReady: boolean;
  readonly isShuttingDown: boolean;
  /** Names of volumes that its pods use: these are not detached. */
  readonly volumesInUse: readonly string[];
}

/** The Node as kubelet registers it, without its status. */
export function nodeToRegister(name: string, { flags, kubelet, taints }: NodeBootstrap): Node {
  const providerID = flags.providerId ?? kubelet.providerID;
  const allTaints = [...taints, ...(flags.hasExternalCloudProvider ? [UNINITIALIZED_TAINT] : [])];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...flags.nodeLabels,
      },
      annotations: {
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
        ...(flags.hasExternalCloudProvider && flags.nodeIp && { [PROVIDED_ADDRESS_ANNOTATION]: flags.nodeIp }),
      },
    },
    spec: { ...(providerID && { providerID }), ...(allTaints.length > 0 && { taints: allTaints }) },
  };
}

/** The status that kubelet reports. Unchanged conditions keep their times from `old`. */
export function nodeStatus(
  name: string,
  server: ServerInfo,
  bootstrap: NodeBootstrap,
  runtimeState: NodeRuntimeState,
  old: NodeStatus | undefined,
): NodeStatus {
  const capacity = capacityOf(server, bootstrap);
  const addresses = ownAddresses(name, server, bootstrap);
  return {
    ...(addresses.length > 0 && { addresses }),
    capacity: formatted(capacity),
    allocatable: formatted(allocatableOf(capacity, bootstrap)),
    conditions: nodeConditions(runtimeState, old?.conditions ?? []),
    nodeInfo: systemInfo(server, bootstrap, runtimeState.version),
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    // A patch leaves unlisted fields unchanged.
    ...((runtimeState.volumesInUse.length > 0 || old?.volumesInUse) && {
      volumesInUse: [...runtimeState.volumesInUse],
    }),
  };
}

/** An external cloud provider sets the addresses, unless kubelet has --node-ip. */
function ownAddresses(name: string, server: ServerInfo, { flags }: NodeBootstrap): NodeAddress[] {
  if (flags.hasExternalCloudProvider && !flags.nodeIp) return [];
  const addresses = flags.nodeIp ? flags.nodeIp.split(',') : server.addresses;
  return [...addresses.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: name }];
}

type Resources = ReadonlyMap<string, Quantity>;

function capacityOf({ flavor }: ServerInfo, { flags, kubelet }: NodeBootstrap): Resources {
  const mebibytes = (count: number) => quantityOf(BigInt(count) * KIB * KIB, 'BinarySI');
  return new Map([
    ['cpu', quantityOf(flavor.vcpus)],
    ['ephemeral-storage', mebibytes(flavor.diskGib * 1024)],
    ['hugepages-1Gi', ZERO],
    ['hugepages-2Mi', ZERO],
    ['memory', mebibytes(flavor.ramMib)],
    ['pods', quantityOf(flags.maxPods ?? kubelet.maxPods)],
  ]);
}

/** Capacity minus reservations and hard eviction thresholds. */
function allocatableOf(capacity: Resources, { kubelet }: NodeBootstrap): Resources {
  const { kubeReserved, systemReserved, evictionHard } = kubelet;
  const thresholds: Record<string, string | undefined> = {
    memory: evictionHard['memory.available'],
    'ephemeral-storage': evictionHard['nodefs.available'],
  };
  return new Map(
    [...capacity].map(([name, total]) => {
      let rest = total;
      for (const text of [kubeReserved[name], systemReserved[name], thresholds[name]]) {
        if (text !== undefined) rest = subtractQuantities(rest, thresholdOf(text, total));
      }
      return [name, rest.nanos < 0n ? ZERO : rest];
    }),
  );
}

/** A quantity, or a percentage of the capacity such as `10%`. */
function thresholdOf(text: string, total: Quantity): Quantity {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent === undefined) return parseQuantity(text);
  const units = (total.nanos * BigInt(Math.round(Number(percent) * 1000))) / 100_000n / 1_000_000_000n;
  return quantityOf(units, total.format);
}

function formatted(resources: Resources): Record<string, string> {
  return Object.fromEntries([...resources].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const PRESSURES: readonly Finding[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
];

function readiness({ isNetworkReady, isShuttingDown }: NodeRuntimeState): Finding {
  if (isShuttingDown) {
    return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' };
  }
  if (isNetworkReady) {
    return { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  }
  const message =
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: node has no pod CIDR yet';
  return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
}

function nodeConditions(runtimeState: NodeRuntimeState, old: readonly NodeCondition[]): NodeCondition[] {
  const now = formatTime(runtimeState.nowMs);
  return [...PRESSURES, readiness(runtimeState)].map((finding) => {
    const before = old.find(({ type }) => type === finding.type);
    const isSame = before?.status === finding.status && before.lastTransitionTime !== undefined;
    return {
      ...finding,
      lastHeartbeatTime: now,
      lastTransitionTime: isSame ? (before.lastTransitionTime ?? now) : now,
    };
  });
}

/** The identifiers are derived from the server and its installation: they are stable across restarts and change after a rebuild. */
function systemInfo(server: ServerInfo, bootstrap: NodeBootstrap, version: string): NodeSystemInfo {
  const installation = createHash('sha256').update(server.id).update(bootstrap.token).digest('hex');
  const machineID = installation.slice(0, 32);
  return {
    architecture: 'amd64',
    bootID: installation.slice(32),
    containerRuntimeVersion: `containerd://${bootstrap.containerdVersion ?? '2.1.4'}`,
    kernelVersion: '6.8.0-hollow',
    kubeProxyVersion: '',
    kubeletVersion: `v${version}`,
    machineID,
    operatingSystem: 'linux',
    osImage: 'Fairway hollow node',
    systemUUID: server.id,
  };
}
