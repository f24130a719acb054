import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { kubernetesReleases } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { change } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Say } from '../../text/use-text.ts';
import type { releasesTexts } from './texts.ts';

export type RolloutActionName = 'retry' | 'pause' | 'resume';

/** What kubectl can do about a rollout. */
export function rolloutAction(
  { metadata: { name = '', uid } }: KubernetesRelease,
  action: RolloutActionName,
  say: Say<(typeof releasesTexts)['en']>,
): Action {
  const { patch, command } = PATCHES[action](name);
  return {
    title: say(`${action}.title`, { minor: name }),
    body: say(`${action}.body`),
    button: say(action),
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
  pause: (name) => paused(name, true),
  resume: (name) => paused(name, false),
};

function paused(name: string, isPaused: boolean): Change {
  const patch = { spec: { rollout: { paused: isPaused } } };
  return { patch, command: `kubectl patch kubernetesrelease ${name} --type merge -p '${JSON.stringify(patch)}'` };
}
