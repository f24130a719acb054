import { clusters, machines, nodePools, type Resource, type Stored } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { change } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Say } from '../../text/use-text.ts';
import type { stuckTexts } from './texts.ts';
import type { Trouble } from './trouble.ts';

const RESOURCES: Readonly<Record<Trouble['kind'], Omit<Resource<Stored>, 'keep'>>> = {
  Cluster: clusters,
  NodePool: nodePools,
  Machine: machines,
};
const RETRY = 'fairway.dev/retry-requested';
const PAUSED = 'fairway.dev/paused';

export type ActionName = 'retry' | 'pause' | 'resume';

/** What kubectl can do about it. */
export function actionOn(trouble: Trouble, name: ActionName, say: Say<(typeof stuckTexts)['en']>): Action {
  const { kind, namespace, name: object, uid } = trouble;
  const resource = RESOURCES[kind];
  const what = nameOf(trouble);
  const [key, value] = ANNOTATIONS[name]();
  const written = value === null ? `${key}-` : `${key}=${value} --overwrite`;
  return {
    title: say(`${name}.title`, { what }),
    body: say(`${name}.body`),
    button: say(name),
    command: `kubectl annotate ${kind.toLowerCase()} ${object} -n ${namespace} ${written}`,
    run: () =>
      change(resource, { metadata: { namespace, name: object, uid } }, { metadata: { annotations: { [key]: value } } }),
  };
}

/** `Machine team/demo-x7k2p`. */
export function nameOf({ kind, namespace, name }: Trouble): string {
  return `${kind} ${namespace}/${name}`;
}

const ANNOTATIONS: Readonly<Record<ActionName, () => readonly [string, string | null]>> = {
  retry: () => [RETRY, serverClock.now()],
  pause: () => [PAUSED, 'true'],
  resume: () => [PAUSED, null],
};
