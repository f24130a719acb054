import type { NodePool } from '@fairway/api/kinds/node-pool';
import { nodePools } from '../../api/resources.ts';
import { remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { PoolSpec } from '../../cluster/draft.ts';
import type { Translate } from '../../text/use-text.ts';
import type { poolTexts } from './texts.ts';

type TranslatePool = Translate<(typeof poolTexts)['en']>;

export function deletePoolAction(pool: NodePool, t: TranslatePool): Action {
  const { namespace = '', name = '' } = pool.metadata;
  return {
    title: t('delete.ask', { name }),
    body: t('delete.body', { count: nodesOf(pool) }),
    button: t('delete.sure'),
    command: `kubectl -n ${namespace} delete nodepool ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(nodePools, pool),
  };
}

/** What a change to a pool destroys: all nodes, or each node as it is replaced. Undefined if nothing. */
export function nodeLossOf(before: PoolSpec, after: PoolSpec): 'zero' | 'replaced' | undefined {
  const scalesToZero = isAtZero(after) && !isAtZero(before);
  if (scalesToZero) return 'zero';
  return before.flavor === after.flavor ? undefined : 'replaced';
}

function isAtZero({ replicas, autoscaling }: PoolSpec): boolean {
  return replicas === 0 && autoscaling?.enabled !== true;
}

/** Saves a change that deletes nodes, after confirmation. */
export function nodeLossAction(
  pool: NodePool,
  {
    loss,
    patch,
    save,
  }: { readonly loss: 'zero' | 'replaced'; readonly patch: object; readonly save: () => Promise<void> },
  t: TranslatePool,
): Action {
  const { namespace = '', name = '' } = pool.metadata;
  return {
    title: t(`${loss}.ask`, { name }),
    body: t(`${loss}.body`, { count: nodesOf(pool) }),
    button: t(`${loss}.do`),
    command: `kubectl -n ${namespace} patch nodepool ${name} --type merge -p '${JSON.stringify(patch)}'`,
    danger: { kind: 'harmful' },
    run: save,
  };
}

function nodesOf({ spec, status }: NodePool): number {
  return status?.replicas ?? spec.replicas;
}
