import type { NodePool } from '@fairway/api/kinds/node-pool';
import { nodePools } from '../../api/resources.ts';
import { remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { PoolSpec } from '../../cluster/draft.ts';
import type { Say } from '../../text/use-text.ts';
import type { poolTexts } from './texts.ts';

type SayPool = Say<(typeof poolTexts)['en']>;

export function deletingPool(pool: NodePool, say: SayPool): Action {
  const { namespace = '', name = '' } = pool.metadata;
  return {
    title: say('delete.ask', { name }),
    body: say('delete.body', { count: nodesOf(pool) }),
    button: say('delete.sure'),
    command: `kubectl -n ${namespace} delete nodepool ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(nodePools, pool),
  };
}

/** What a change of a pool takes away besides what it says: all nodes, or each node for another. Undefined: nothing. */
export function lossOf(before: PoolSpec, after: PoolSpec): 'zero' | 'replaced' | undefined {
  const goesToZero = isAtZero(after) && !isAtZero(before);
  if (goesToZero) return 'zero';
  return before.flavor === after.flavor ? undefined : 'replaced';
}

function isAtZero({ replicas, autoscaling }: PoolSpec): boolean {
  return replicas === 0 && autoscaling?.enabled !== true;
}

/** Saves a change by which nodes are lost. */
export function losing(
  pool: NodePool,
  {
    loss,
    patch,
    save,
  }: { readonly loss: 'zero' | 'replaced'; readonly patch: object; readonly save: () => Promise<void> },
  say: SayPool,
): Action {
  const { namespace = '', name = '' } = pool.metadata;
  return {
    title: say(`${loss}.ask`, { name }),
    body: say(`${loss}.body`, { count: nodesOf(pool) }),
    button: say(`${loss}.do`),
    command: `kubectl -n ${namespace} patch nodepool ${name} --type merge -p '${JSON.stringify(patch)}'`,
    danger: { kind: 'harmful' },
    run: save,
  };
}

function nodesOf({ spec, status }: NodePool): number {
  return status?.replicas ?? spec.replicas;
}
