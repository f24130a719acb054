import { requestIn } from '../domain/request.ts';
import {
  ADOPT_ADDONS_ANNOTATION,
  MAINTENANCE_ANNOTATION,
  REPAIR_ANNOTATION,
  RETRY_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
} from '../group.ts';
import type { Cluster, ClusterStatus } from '../kinds/cluster.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { Machine } from '../kinds/machine.ts';
import type { NodePool } from '../kinds/node-pool.ts';

/** A value that counts once, as somebody writes it: docs/decisions/0047-requests-that-count-once.md. */
export interface CountedRequest {
  readonly field: string;
  readonly value: string | undefined;
  /** What stood there. */
  readonly before: string | undefined;
  /** The last one that was done. */
  readonly followed: string | undefined;
  /** What is to be said of one that is earlier; undefined: that is said elsewhere. */
  readonly replay?: string;
}

/** All annotations of which a time counts only if it is later than the last. */
export const COUNTED_ANNOTATIONS = [
  ADOPT_ADDONS_ANNOTATION,
  MAINTENANCE_ANNOTATION,
  REPAIR_ANNOTATION,
  RETRY_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
] as const;

/** With the value that was followed last. */
const OF_CLUSTER: readonly (readonly [string, (status: ClusterStatus) => string | undefined])[] = [
  [MAINTENANCE_ANNOTATION, ({ maintenance }) => maintenance?.requested],
  [REVOKE_KUBECONFIGS_ANNOTATION, ({ credentials }) => credentials?.revocation?.requested],
  [ROTATE_CREDENTIALS_ANNOTATION, ({ credentials }) => credentials?.rotation],
  // Recorded in the tenant's cluster.
  [ADOPT_ADDONS_ANNOTATION, () => undefined],
  // What rests is tried again for any other value, and nothing is recorded.
  [RETRY_ANNOTATION, () => undefined],
];

export function clusterRequests(cluster: Cluster, old: Cluster | undefined): readonly CountedRequest[] {
  const { spec } = cluster;
  return [
    {
      field: 'spec.reset.requestedAt',
      value: spec.reset?.requestedAt,
      before: old?.spec.reset?.requestedAt,
      followed: old?.status?.reset?.requestedAt,
    },
    {
      field: 'spec.etcd.restore.requestedAt',
      value: spec.etcd?.restore?.requestedAt,
      before: old?.spec.etcd?.restore?.requestedAt,
      followed: old?.status?.etcd?.lastRestore?.requestedAt,
    },
    {
      field: 'spec.hibernation.requestedAt',
      value: spec.hibernation?.requestedAt,
      before: old?.spec.hibernation?.requestedAt,
      followed: old?.status?.hibernation?.followed?.requestedAt,
      replay: 'it asks for nothing, and only a change of spec.hibernation.enabled counts',
    },
    ...OF_CLUSTER.map(([name, followedIn]) => annotationOf(cluster, old, name, followedIn(old?.status ?? {}))),
  ];
}

export function nodePoolRequests(pool: NodePool, old: NodePool): readonly CountedRequest[] {
  const replay = 'an upgrade of its nodes that is halted does not go on';
  return [{ ...annotationOf(pool, old, RETRY_ANNOTATION, old.status?.upgrade?.retried), replay }];
}

export function releaseRequests(release: KubernetesRelease, old: KubernetesRelease): readonly CountedRequest[] {
  const replay = 'clusters that failed in the rollout are not tried again';
  return [{ ...annotationOf(release, old, RETRY_ANNOTATION, old.status?.rollout?.retried), replay }];
}

/** `pool`: the machine's; its status has the repairs that were asked for. */
export function machineRequests(machine: Machine, old: Machine, pool: NodePool | undefined): readonly CountedRequest[] {
  const { requests = [] } = pool?.status?.healing ?? {};
  const met = requests.find((request) => request.machine === machine.metadata.name)?.value;
  return [annotationOf(machine, old, REPAIR_ANNOTATION, met), annotationOf(machine, old, RETRY_ANNOTATION, undefined)];
}

type Annotated = Parameters<typeof requestIn>[0];

function annotationOf(
  object: Annotated,
  old: Annotated | undefined,
  name: string,
  followed: string | undefined,
): CountedRequest {
  return {
    field: `metadata.annotations[${name}]`,
    value: requestIn(object, name),
    before: old && requestIn(old, name),
    followed,
    replay: 'nothing is done',
  };
}
