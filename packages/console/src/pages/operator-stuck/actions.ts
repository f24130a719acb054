import { clusters, machines, nodePools, type Resource, type StoredObject } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { change } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Translate } from '../../text/use-text.ts';
import type { StuckObject } from './stuck-objects.ts';
import type { stuckTexts } from './texts.ts';

const RESOURCES: Readonly<Record<StuckObject['kind'], Omit<Resource<StoredObject>, 'keep'>>> = {
  Cluster: clusters,
  NodePool: nodePools,
  Machine: machines,
};
const RETRY_ANNOTATION = 'fairway.dev/retry-requested';
const PAUSED_ANNOTATION = 'fairway.dev/paused';

export type ActionName = 'retry' | 'pause' | 'resume';

/** The kubectl command that may help. */
export function stuckAction(
  stuckObject: StuckObject,
  name: ActionName,
  t: Translate<(typeof stuckTexts)['en']>,
): Action {
  const { kind, namespace, name: object, uid } = stuckObject;
  const resource = RESOURCES[kind];
  const objectName = nameOf(stuckObject);
  const [key, value] = ANNOTATIONS[name]();
  const command = value === null ? `${key}-` : `${key}=${value} --overwrite`;
  return {
    title: t(`${name}.title`, { what: objectName }),
    body: t(`${name}.body`),
    button: t(name),
    command: `kubectl annotate ${kind.toLowerCase()} ${object} -n ${namespace} ${command}`,
    run: () =>
      change(resource, { metadata: { namespace, name: object, uid } }, { metadata: { annotations: { [key]: value } } }),
  };
}

/** `Machine team/demo-x7k2p`. */
export function nameOf({ kind, namespace, name }: StuckObject): string {
  return `${kind} ${namespace}/${name}`;
}

const ANNOTATIONS: Readonly<Record<ActionName, () => readonly [string, string | null]>> = {
  retry: () => [RETRY_ANNOTATION, serverClock.now()],
  pause: () => [PAUSED_ANNOTATION, 'true'],
  resume: () => [PAUSED_ANNOTATION, null],
};
