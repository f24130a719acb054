import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { kubernetesReleases } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { change } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Translate } from '../../text/use-text.ts';
import type { releasesTexts } from './texts.ts';

export type RolloutActionName = 'retry' | 'pause' | 'resume';

/** Actions on a rollout, with kubectl commands. */
export function rolloutAction(
  { metadata: { name = '', uid } }: KubernetesRelease,
  action: RolloutActionName,
  t: Translate<(typeof releasesTexts)['en']>,
): Action {
  const { patch, command } = PATCHES[action](name);
  return {
    title: t(`${action}.title`, { minor: name }),
    body: t(`${action}.body`),
    button: t(action),
    command,
    run: () => change(kubernetesReleases, { metadata: { name, uid } }, patch),
  };
}

interface Change {
  readonly patch: { readonly metadata?: object; readonly spec?: object };
  readonly command: string;
}

const PATCHES: Readonly<Record<RolloutActionName, (name: string) => Change>> = {
  retry(name) {
    const time = serverClock.now();
    return {
      patch: { metadata: { annotations: { 'fairway.dev/retry-requested': time } } },
      command: `kubectl annotate kubernetesrelease ${name} fairway.dev/retry-requested=${time} --overwrite`,
    };
  },
  pause: (name) => pauseAction(name, true),
  resume: (name) => pauseAction(name, false),
};

function pauseAction(name: string, isPaused: boolean): Change {
  const patch = { spec: { rollout: { paused: isPaused } } };
  return { patch, command: `kubectl patch kubernetesrelease ${name} --type merge -p '${JSON.stringify(patch)}'` };
}
