import { type MachineSize, reservedResources } from '@fairway/api/domain/reserved-resources';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { DaemonSet, Node, Pod, Taint, Toleration } from '@fairway/kube/kinds/generated/types';
import { matchesNodeAffinity, untoleratedTaint } from '@fairway/scheduling/node-selection';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { NewNode } from './scale-up.ts';

/** What a node of a pool will be. */
export interface NodeTemplateFacts {
  readonly pool: NodePool;
  readonly flavor: MachineSize & { readonly name: string };
  /** The plan's. */
  readonly maxPods: number;
  readonly region: string;
  /** The zone of nodes that are not told theirs; undefined while unknown. */
  readonly defaultZone: string | undefined;
  /** A node of the pool that works; undefined from zero. */
  readonly like: TenantNode | undefined;
  readonly daemonSets: readonly DaemonSet[];
}

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';

/** What kernel and firmware keep of a machine's memory before kubelet counts it. */
const KERNEL_SHARE = 0.03;
/** kubelet's evictionHard `memory.available` and `nodefs.available`. */
const EVICTION_MEMORY_BYTES = 100 * 2 ** 20;
const EVICTION_DISK_SHARE = 0.1;

/**
 * Makes nodes as the pool will have them: like one that it has, with its labels and resources, or else from the flavor, less what kubelet reserves. DaemonSets
 * run on it as they would.
 */
export function nodeTemplate(facts: NodeTemplateFacts): (name: string, zone: string | undefined) => NewNode {
  const { pool, like, defaultZone } = facts;
  const allocatable = like?.status?.allocatable ?? allocatableOf(facts);
  const labels = { ...(like ? like.metadata.labels : labelsOf(facts)), ...pool.spec.template.metadata.labels };
  const taints: Taint[] = (pool.spec.template.spec.taints ?? []).map(({ key, value, effect }) => {
    return { key, effect, ...(value !== undefined && { value }) };
  });
  const unschedulable = pool.spec.template.spec.unschedulable;
  const daemons = new Map<string | undefined, readonly Pod[]>();
  return (name, given) => {
    const zone = given ?? defaultZone ?? labels[ZONE];
    const node: Node = {
      metadata: {
        name,
        labels: { ...labels, [HOST]: name, ...(zone !== undefined && { [ZONE]: zone, [BETA_ZONE]: zone }) },
      },
      spec: { taints, ...(unschedulable && { unschedulable }) },
      status: { allocatable },
    };
    // Their affinity may be to a zone, and is never to a new node's name.
    const pods = daemons.get(zone) ?? facts.daemonSets.flatMap((daemonSet) => daemonPod(daemonSet, node) ?? []);
    daemons.set(zone, pods);
    return { node, pods };
  };
}

/** From the size of the machine, as kubelet computes it: capacity less reservation and hard eviction. */
function allocatableOf({ flavor, maxPods }: NodeTemplateFacts): Record<string, string> {
  const reserved = reservedResources(flavor);
  const memory = flavor.memoryMiB * 2 ** 20 * (1 - KERNEL_SHARE) - reserved.memoryMB * 1e6 - EVICTION_MEMORY_BYTES;
  const disk = flavor.diskGiB * 2 ** 30 * (1 - EVICTION_DISK_SHARE) - reserved.diskGB * 1e9;
  return {
    cpu: `${flavor.vcpus * 1000 - reserved.cpuMillis}m`,
    memory: `${Math.max(0, Math.floor(memory))}`,
    'ephemeral-storage': `${Math.max(0, Math.floor(disk))}`,
    pods: `${maxPods}`,
  };
}

function labelsOf({ pool, flavor, region }: NodeTemplateFacts): Record<string, string> {
  return {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'amd64',
    'node.kubernetes.io/instance-type': flavor.name,
    'beta.kubernetes.io/instance-type': flavor.name,
    ...(region && { 'topology.kubernetes.io/region': region, 'failure-domain.beta.kubernetes.io/region': region }),
    [NODE_POOL_LABEL]: pool.metadata.name ?? '',
  };
}

/** What the DaemonSet controller lets its pods tolerate (pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations). */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** The pod that a DaemonSet would run on the node; undefined if it runs none there. */
function daemonPod({ metadata, spec }: DaemonSet, node: Node): Pod | undefined {
  const { name = '', namespace, uid = '' } = metadata;
  const podSpec = spec?.template.spec;
  if (podSpec === undefined) return undefined;
  const tolerations = [...(podSpec.tolerations ?? []), ...DAEMON_TOLERATIONS];
  const pod: Pod = {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: spec?.template.metadata?.labels ?? {},
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true }],
    },
    spec: { ...podSpec, tolerations },
  };
  return matchesNodeAffinity(pod, node) && untoleratedTaint(pod, node) === undefined ? pod : undefined;
}
