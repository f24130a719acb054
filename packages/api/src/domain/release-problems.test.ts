import { expect, test } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { withoutBlindField } from '../testing/blind.ts';
import { aRelease } from '../testing/releases.ts';
import { releaseProblems } from './release-problems.ts';

test('finds no problems in shipped releases', () => {
  expect(SHIPPED_RELEASES.flatMap(releaseProblems)).toEqual([]);
});

const patch = (version: string, released?: string) => ({
  version,
  withdrawn: false,
  ...(released !== undefined && { released }),
});

const ROLLOUT = { maxConcurrent: 20, maxPercent: 10, maxFailures: 1, timeout: '15m', paused: false };

test.each<{ change: Partial<KubernetesRelease['spec']>; problem: string }>([
  { change: { minor: '1.99' }, problem: 'metadata.name: 1.35 must be the minor version 1.99' },
  { change: { patches: [patch('1.34.1')] }, problem: 'spec.patches: 1.34.1 is not a version of 1.35' },
  { change: { patches: [patch('1.35.1'), patch('1.35.1')] }, problem: '1.35.1 is listed more than once' },
  { change: { patches: [{ version: '1.35.1', withdrawn: true }] }, problem: 'spec.patches: all are withdrawn' },
  {
    change: { components: { containerd: '2.2.7; reboot', pause: '3.10.1' } },
    problem: 'spec.components.containerd: "2.2.7; reboot" is not a version such as 2.2.7',
  },
  {
    change: { patches: [{ ...patch('1.35.1'), components: { etcd: '' } }] },
    problem: 'spec.patches[1.35.1].components.etcd: "" is not a version such as 2.2.7',
  },
  {
    change: { rollout: { ...ROLLOUT, canarySelector: { matchLabels: { 'a b': 'c' } } } },
    problem: 'spec.rollout.canarySelector.matchLabels[a b]: "c": no cluster can have this label: it must be a name of',
  },
  {
    change: { rollout: { ...ROLLOUT, canarySelector: { matchLabels: { canary: 'y s' } } } },
    problem:
      'spec.rollout.canarySelector.matchLabels[canary]: "y s": no cluster can have this label: it must be empty or',
  },
  {
    change: { released: '2026-01-02', endOfLife: '2026-01-01' },
    problem: 'spec.endOfLife: 2026-01-01 is before spec.released (2026-01-02)',
  },
  {
    change: { maintenanceMode: '2026-05-02', endOfLife: '2026-05-01' },
    problem: 'spec.endOfLife: 2026-05-01 is before spec.maintenanceMode (2026-05-02)',
  },
  {
    change: { components: { pause: '3.10' } },
    problem: 'spec.components: a version of containerd is required for nodes',
  },
  { change: { endOfLife: '2026-02-31' }, problem: 'spec.endOfLife: 2026-02-31 is not a valid date' },
  {
    change: { released: '2026-01-02', patches: [patch('1.35.0', '2026-01-01')] },
    problem: 'spec.patches[1.35.0].released: 2026-01-01 is before spec.released (2026-01-02)',
  },
])('reports a release that is not ready: $problem', ({ change, problem }) => {
  const release = aRelease('1.35');
  const changed = withoutBlindField('KubernetesRelease', { ...release, spec: { ...release.spec, ...change } });

  expect(releaseProblems(changed).join('; ')).toContain(problem);
});
