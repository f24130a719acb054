import type { Machine } from '@fairway/api/kinds/machine';
import type { NewNodePool, NodePool } from '@fairway/api/kinds/node-pool';
import type {
  DaemonSet,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
} from '@fairway/kube/kinds/generated/types';
import type { Outcome, Situation, Workload } from './situation.ts';

/**
 * Label and taint of a situation's nodes. Its pods select them, and no other pods tolerate the taint, so many
 * situations can share a cluster.
 */
export const SITUATION_LABEL = 'example.com/situation';
const NAMESPACE = 'default';
const ZONE_LABEL = 'topology.kubernetes.io/zone';
/** A finalizer that keeps deleted pods terminating. */
const KEEP_FINALIZER = 'example.com/kept';

/** Names of the initial nodes, by `pool/index`. */
export type NodeNames = ReadonlyMap<string, string>;

export interface SituationPod {
  readonly pod: Pod;
  /** Whether the scheduler has found no node for it. */
  readonly isWaiting: boolean;
  readonly isBeingDeleted: boolean;
}

export function poolName({ key }: Situation, pool: string): string {
  return `${key}-${pool}`;
}

/** The pools, before any scaling. */
export function poolsOf(
  situation: Situation,
): { readonly name: string; readonly spec: Omit<NewNodePool['spec'], 'clusterName'> }[] {
  const { key, pools } = situation;
  return Object.entries(pools).map(([name, pool]) => {
    const {
      size = 0,
      min = 0,
      max = 5,
      flavor = 'b3-8',
      zones,
      priority = 0,
      labels,
      taints = [],
      canShrink,
      annotations,
    } = pool;
    const own = { key: SITUATION_LABEL, value: key, effect: 'NoSchedule' as const };
    return {
      name: poolName(situation, name),
      spec: {
        flavor,
        replicas: size,
        minReplicas: min,
        maxReplicas: max,
        autoscaling: { enabled: false, priority, scaleDownUnneededTime: canShrink ? '3s' : '1h' },
        template: {
          metadata: { labels: { [SITUATION_LABEL]: key, ...labels }, ...(annotations && { annotations }) },
          spec: { taints: [...(taints as (typeof own)[]), own] },
        },
        ...(zones && { availabilityZones: [...zones] }),
      },
    };
  });
}

function appOf({ key }: Situation, workload: string): string {
  return `${key}-${workload}`;
}

function podSpec({ key }: Situation, app: string, { cpu, memory, spec, priority, volumeIn }: Workload): Pod['spec'] {
  const requests = { cpu, ...(memory !== undefined && { memory }) };
  const claim = { name: 'data', persistentVolumeClaim: { claimName: app } };
  return {
    containers: [{ name: 'main', image: 'nginx:1.29', resources: { requests } }],
    terminationGracePeriodSeconds: 1,
    tolerations: [{ key: SITUATION_LABEL, operator: 'Equal', value: key, effect: 'NoSchedule' }],
    ...(volumeIn !== undefined && { volumes: [claim] }),
    ...(priority !== undefined && { priority, priorityClassName: app }),
    ...spec,
    nodeSelector: { [SITUATION_LABEL]: key, ...spec?.nodeSelector },
  };
}

/** The pods of all workloads, on their nodes. */
export function podsOf(situation: Situation, nodes: NodeNames): SituationPod[] {
  const nodeOf = (ref: string) => {
    const [pool = '', index] = ref.split('/');
    const name = nodes.get(`${poolName(situation, pool)}/${index}`);
    if (name === undefined) throw new Error(`situation ${situation.key} has no node ${ref}`);
    return name;
  };
  return Object.entries(situation.workloads).flatMap(([name, workload]) => {
    const { on = [], waiting = 0, annotations, namespace = NAMESPACE, isBeingDeleted = false } = workload;
    const app = appOf(situation, name);
    const places = [...on.map(nodeOf), ...Array<undefined>(waiting).fill(undefined)];
    return places.map((nodeName, index) => ({
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: `${app}-${index}`,
          namespace,
          labels: { app },
          ...(annotations && { annotations }),
          ...(isBeingDeleted && { finalizers: [KEEP_FINALIZER] }),
        },
        spec: { ...podSpec(situation, app, workload), ...(nodeName !== undefined && { nodeName }) },
      },
      isWaiting: nodeName === undefined,
      isBeingDeleted,
    }));
  });
}

/** The controller that recreates the pods; it adopts existing pods. */
export function replicaSetsOf(situation: Situation): ReplicaSet[] {
  return Object.entries(situation.workloads).flatMap(([name, workload]): ReplicaSet[] => {
    const { on = [], waiting = 0, annotations, namespace = NAMESPACE, isBare = false } = workload;
    if (isBare) return [];
    const app = appOf(situation, name);
    const matchLabels = { app };
    return [
      {
        metadata: { name: app, namespace },
        spec: {
          replicas: on.length + waiting,
          selector: { matchLabels },
          template: {
            metadata: { labels: matchLabels, ...(annotations && { annotations }) },
            spec: podSpec(situation, app, workload),
          },
        },
      },
    ];
  });
}

export function budgetsOf(situation: Situation): PodDisruptionBudget[] {
  return Object.entries(situation.budgets ?? {}).map(([workload, minAvailable]) => ({
    metadata: { name: appOf(situation, workload), namespace: NAMESPACE },
    spec: { minAvailable, selector: { matchLabels: { app: appOf(situation, workload) } } },
  }));
}

export function daemonSetsOf(situation: Situation): DaemonSet[] {
  const { daemonCpu } = situation;
  if (daemonCpu === undefined) return [];
  const app = appOf(situation, 'daemon');
  const matchLabels = { app };
  return [
    {
      metadata: { name: app, namespace: NAMESPACE },
      spec: {
        selector: { matchLabels },
        template: { metadata: { labels: matchLabels }, spec: podSpec(situation, app, { cpu: daemonCpu }) },
      },
    },
  ];
}

export function priorityClassesOf(situation: Situation): PriorityClass[] {
  return Object.entries(situation.workloads).flatMap(([name, { priority }]) =>
    priority === undefined ? [] : [{ metadata: { name: appOf(situation, name) }, value: priority }],
  );
}

/** Each volume and its claim, bound to each other. */
export function volumesOf(
  situation: Situation,
): { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[] {
  return Object.entries(situation.workloads).flatMap(([workload, { volumeIn }]) => {
    if (volumeIn === undefined) return [];
    const name = appOf(situation, workload);
    const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
    const isInZone = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [volumeIn] }] };
    return [
      {
        volume: {
          metadata: { name },
          spec: {
            ...common,
            capacity: { storage: '1Gi' },
            claimRef: { namespace: NAMESPACE, name },
            nodeAffinity: { required: { nodeSelectorTerms: [isInZone] } },
            local: { path: '/mnt/data' },
          },
        },
        claim: {
          metadata: { name, namespace: NAMESPACE },
          spec: { ...common, resources: { requests: { storage: '1Gi' } }, volumeName: name },
        },
      },
    ];
  });
}

/** The nodes of all pools by `pool/index`, in the order of their names. */
export function namesOfNodes(machines: readonly Machine[]): NodeNames {
  const byPool = Map.groupBy(machines, ({ spec }) => spec.nodePoolName);
  const named = [...byPool].flatMap(([pool, own]) =>
    own
      .map(({ metadata }) => metadata.name ?? '')
      .sort()
      .map((name, index) => [`${pool}/${index}`, name] as const),
  );
  return new Map(named);
}

/** The decision: desired sizes of the pools, and initial nodes that were or will be deleted. */
export function outcomeOf(
  situation: Situation,
  {
    pools,
    machines,
    nodes,
  }: { readonly pools: readonly NodePool[]; readonly machines: readonly Machine[]; readonly nodes: NodeNames },
): Outcome {
  const names = Object.keys(situation.pools);
  const staying = new Set(
    machines
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !status?.marks?.unneeded?.due)
      .map(({ metadata }) => metadata.name),
  );
  const poolSizes = (name: string) => {
    const pool = pools.find(({ metadata }) => metadata.name === poolName(situation, name));
    return pool?.status?.autoscaling?.replicas ?? pool?.spec.replicas ?? Number.NaN;
  };
  return {
    sizes: Object.fromEntries(names.map((name) => [name, poolSizes(name)])),
    gone: names.flatMap((name) =>
      [...nodes]
        .filter(([ref, node]) => ref.startsWith(`${poolName(situation, name)}/`) && !staying.has(node))
        .map(([ref]) => ref.slice(situation.key.length + 1)),
    ),
  };
}
