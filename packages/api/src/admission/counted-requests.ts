import { requestValueOf } from '../domain/request.ts';
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

/** A value that is processed only once, as written by the user: docs/decisions/0047-requests-that-count-once.md. */
export interface CountedRequest {
  readonly field: string;
  readonly value: string | undefined;
  /** The previous value. */
  readonly before: string | undefined;
  /** The last processed value. */
  readonly followed: string | undefined;
  /** The warning for an earlier value; undefined if it is reported elsewhere. */
  readonly replayWarning?: string;
}

/** All annotations whose time takes effect only if it is later than the last processed time. */
export const COUNTED_ANNOTATIONS = [
  ADOPT_ADDONS_ANNOTATION,
  MAINTENANCE_ANNOTATION,
  REPAIR_ANNOTATION,
  RETRY_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
] as const;

/** The annotations of a Cluster, each with its last processed value. */
const CLUSTER_REQUESTS: readonly (readonly [string, (status: ClusterStatus) => string | undefined])[] = [
  [MAINTENANCE_ANNOTATION, ({ maintenance }) => maintenance?.requested],
  [REVOKE_KUBECONFIGS_ANNOTATION, ({ credentials }) => credentials?.revocation?.requested],
  [ROTATE_CREDENTIALS_ANNOTATION, ({ credentials }) => credentials?.rotation],
  // Recorded in the tenant's cluster.
  [ADOPT_ADDONS_ANNOTATION, () => undefined],
  // Any other value only retries work that has stopped, and is not recorded.
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
      replayWarning: 'it has no effect: only a change of spec.hibernation.enabled counts',
    },
    ...CLUSTER_REQUESTS.map(([name, readFollowed]) =>
      annotationOf(cluster, old, name, readFollowed(old?.status ?? {})),
    ),
  ];
}

export function nodePoolRequests(pool: NodePool, old: NodePool): readonly CountedRequest[] {
  const replayWarning = 'a halted upgrade of its nodes is not resumed';
  return [{ ...annotationOf(pool, old, RETRY_ANNOTATION, old.status?.upgrade?.retried), replayWarning }];
}

export function releaseRequests(release: KubernetesRelease, old: KubernetesRelease): readonly CountedRequest[] {
  const replayWarning = 'failed clusters of the rollout are not retried';
  return [{ ...annotationOf(release, old, RETRY_ANNOTATION, old.status?.rollout?.retried), replayWarning }];
}

/** `pool`: the machine's pool, whose status has the requested repairs. */
export function machineRequests(machine: Machine, old: Machine, pool: NodePool | undefined): readonly CountedRequest[] {
  const { requests = [] } = pool?.status?.healing ?? {};
  const followedValue = requests.find((request) => request.machine === machine.metadata.name)?.value;
  return [
    annotationOf(machine, old, REPAIR_ANNOTATION, followedValue),
    annotationOf(machine, old, RETRY_ANNOTATION, undefined),
  ];
}

type AnnotatedObject = Parameters<typeof requestValueOf>[0];

function annotationOf(
  object: AnnotatedObject,
  old: AnnotatedObject | undefined,
  name: string,
  followed: string | undefined,
): CountedRequest {
  return {
    field: `metadata.annotations[${name}]`,
    value: requestValueOf(object, name),
    before: old && requestValueOf(old, name),
    followed,
    replayWarning: 'nothing is done',
  };
}
