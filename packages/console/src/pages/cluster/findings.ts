import type { ActionRequiredBy } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Condition } from '@fairway/kube/object/meta';
import { actionRequiredBy } from '../../cluster/action-required-by.ts';

/** A condition of a cluster that does not have its normal status. */
export interface Finding {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly turn: ActionRequiredBy;
  readonly since: string;
  /** The pool or machine that the condition concerns. */
  readonly about: string | undefined;
}

/** Conditions that are a problem while True. */
const ABNORMAL_TRUE_TYPES: readonly string[] = [
  'Paused',
  'CredentialExpiresSoon',
  'AuthorityExpiresSoon',
  'KeptForInspection',
];
/** Conditions of requested states: a hibernated cluster is not a problem. */
const NEUTRAL_TYPES: readonly string[] = ['Hibernated'];
/** Summary conditions whose causes are explained by other conditions. */
const SUMMARY_TYPES: readonly string[] = ['Ready', 'NodePoolsReady', 'MachinesReady'];
const TYPE_ORDER: readonly ActionRequiredBy[] = ['user', 'operator', 'cloud', 'fairway'];

/** Conditions that may require action, sorted by who must act; each cause once. */
export function findingsOf(
  cluster: Cluster,
  pools: readonly NodePool[],
  machines: readonly Machine[],
): readonly Finding[] {
  const all = [
    ...of(cluster.status?.conditions, undefined),
    ...pools.flatMap(({ metadata, status }) => of(status?.conditions, metadata.name)),
    ...machines.flatMap(({ metadata, status }) => of(status?.conditions, metadata.name)),
  ];
  const seen = new Set<string>();
  const distinctFindings = all.filter(({ type, message }) => {
    if (message === '' || seen.has(message)) return false;
    const isSummary =
      SUMMARY_TYPES.includes(type) && all.some((other) => other.type !== type && !SUMMARY_TYPES.includes(other.type));
    if (!isSummary) seen.add(message);
    return !isSummary;
  });
  return distinctFindings.toSorted((a, b) => TYPE_ORDER.indexOf(a.turn) - TYPE_ORDER.indexOf(b.turn));
}

function of(conditions: readonly Condition[] | undefined, about: string | undefined): readonly Finding[] {
  return (conditions ?? [])
    .filter(({ type, status }) => (ABNORMAL_TRUE_TYPES.includes(type) ? status === 'True' : status === 'False'))
    .filter(({ reason }) => !NEUTRAL_TYPES.includes(reason))
    .map(({ type, reason, message, lastTransitionTime }) => ({
      type,
      reason,
      message,
      turn: actionRequiredBy(reason),
      since: lastTransitionTime,
      about,
    }));
}
