import type { ActionRequiredBy } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Condition } from '@fairway/kube/object/meta';
import { actionRequiredBy } from '../../cluster/action-required-by.ts';

/** Something about a cluster that is not as it should be. */
export interface Finding {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly turn: ActionRequiredBy;
  readonly since: string;
  /** The pool or machine that it is about. */
  readonly about: string | undefined;
}

/** Conditions that say something while they are True. */
const BAD_IF_TRUE: readonly string[] = ['Paused', 'CredentialExpiresSoon', 'AuthorityExpiresSoon', 'KeptForInspection'];
/** What was asked for: a cluster at rest is no problem. */
const CHOSEN: readonly string[] = ['Hibernated'];
/** What others say in more detail. */
const SUMMARIES: readonly string[] = ['Ready', 'NodePoolsReady', 'MachinesReady'];
const ORDER: readonly ActionRequiredBy[] = ['user', 'operator', 'cloud', 'fairway'];

/** What conditions say that somebody might have to do something about, whoever has to act first; each cause once. */
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
  const once = all.filter(({ type, message }) => {
    if (message === '' || seen.has(message)) return false;
    const isSummary =
      SUMMARIES.includes(type) && all.some((other) => other.type !== type && !SUMMARIES.includes(other.type));
    if (!isSummary) seen.add(message);
    return !isSummary;
  });
  return once.toSorted((a, b) => ORDER.indexOf(a.turn) - ORDER.indexOf(b.turn));
}

function of(conditions: readonly Condition[] | undefined, about: string | undefined): readonly Finding[] {
  return (conditions ?? [])
    .filter(({ type, status }) => (BAD_IF_TRUE.includes(type) ? status === 'True' : status === 'False'))
    .filter(({ reason }) => !CHOSEN.includes(reason))
    .map(({ type, reason, message, lastTransitionTime }) => ({
      type,
      reason,
      message,
      turn: actionRequiredBy(reason),
      since: lastTransitionTime,
      about,
    }));
}
