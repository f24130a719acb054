import { nonAllocatableResources } from '@fairway/api/domain/kubelet-settings';
import { CINDER_ZONE_LABEL } from '@fairway/api/domain/plan-storage';
import type { MachineSize } from '@fairway/api/domain/reserved-resources';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { DaemonSet, Node, Pod, Taint, Toleration } from '@fairway/kube/kinds/generated/types';
import { labelValue } from '@fairway/kube/object/label-value';
import { matchesNodeAffinity, untoleratedTaint } from '@fairway/scheduling/node-selection';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { NewNode } from './scale-up.ts';

/** The template of a pool's nodes. */
export interface NodeTemplateFacts {
  readonly pool: NodePool;
  readonly flavor: MachineSize & { readonly name: string };
  /** From the plan. */
  readonly maxPods: number;
  readonly region: string;
  /** The zone label of nodes without a zone; undefined while unknown. */
  readonly defaultZone: string | undefined;
  /** A working node of the pool; undefined if it has none. */
  readonly sampleNode: TenantNode | undefined;
  readonly daemonSets: readonly DaemonSet[];
}

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const BETA_ZONE_LABEL = 'failure-domain.beta.kubernetes.io/zone';

/** Memory reserved by kernel and firmware, which kubelet does not count. */
const KERNEL_SHARE = 0.03;

/**
 * Builds nodes as the pool will create them, with the cloud's name for their zone: with the labels and resources of an
 * existing node, or otherwise from the flavor minus what kubelet reserves. DaemonSet pods run on them as usual.
 */
export function nodeTemplate(facts: NodeTemplateFacts): (name: string, zone: string | undefined) => NewNode {
  const { pool, sampleNode, defaultZone } = facts;
  const pods = pool.spec.kubelet?.maxPods === undefined ? {} : { pods: `${facts.maxPods}` };
  const known = sampleNode?.status?.allocatable;
  const allocatable = known ? { ...known, ...pods } : allocatableOf(facts);
  const labels = {
    ...(sampleNode ? sampleNode.metadata.labels : labelsOf(facts)),
    ...pool.spec.template.metadata.labels,
  };
  const taints: Taint[] = (pool.spec.template.spec.taints ?? []).map(({ key, value, effect }) => {
    return { key, effect, ...(value !== undefined && { value }) };
  });
  const unschedulable = pool.spec.template.spec.unschedulable;
  const daemons = new Map<string | undefined, readonly Pod[]>();
  return (name, requestedZone) => {
    const zone = requestedZone === undefined ? (defaultZone ?? labels[ZONE_LABEL]) : labelValue(requestedZone);
    const node: Node = {
      metadata: {
        name,
        labels: {
          ...labels,
          [HOSTNAME_LABEL]: name,
          ...(zone !== undefined && { [ZONE_LABEL]: zone, [BETA_ZONE_LABEL]: zone, [CINDER_ZONE_LABEL]: zone }),
        },
      },
      spec: { taints, ...(unschedulable && { unschedulable }) },
      status: { allocatable },
    };
    // DaemonSet pods may have affinity to a zone, but never to a new node.
    const daemonPods = daemons.get(zone) ?? facts.daemonSets.flatMap((daemonSet) => daemonPod(daemonSet, node) ?? []);
    daemons.set(zone, daemonPods);
    return { node, pods: daemonPods };
  };
}

/** Derived from the machine's size, as kubelet does: capacity minus the reservation and the hard eviction threshold. */
function allocatableOf({ pool, flavor, maxPods }: NodeTemplateFacts): Record<string, string> {
  const kept = nonAllocatableResources(pool.spec.kubelet, flavor);
  const memory = flavor.memoryMiB * 2 ** 20 * (1 - KERNEL_SHARE) - kept.memoryBytes;
  const disk = flavor.diskGiB * 2 ** 30 - kept.diskBytes;
  return {
    cpu: `${Math.max(0, flavor.vcpus * 1000 - Math.round(kept.cpus * 1000))}m`,
    memory: `${Math.max(0, Math.floor(memory))}`,
    'ephemeral-storage': `${Math.max(0, Math.floor(disk))}`,
    pods: `${maxPods}`,
  };
}

function labelsOf({ pool, flavor, region }: NodeTemplateFacts): Record<string, string> {
  const instanceType = labelValue(flavor.name);
  const place = labelValue(region);
  return {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'amd64',
    'node.kubernetes.io/instance-type': instanceType,
    'beta.kubernetes.io/instance-type': instanceType,
    ...(place && { 'topology.kubernetes.io/region': place, 'failure-domain.beta.kubernetes.io/region': place }),
    [NODE_POOL_LABEL]: pool.metadata.name ?? '',
  };
}

/** The tolerations that the DaemonSet controller adds to its pods (pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations). */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** The pod that a DaemonSet would run on the node; undefined if it would not run one. */
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
