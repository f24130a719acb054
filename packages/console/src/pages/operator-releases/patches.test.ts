import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { expect, test } from 'vitest';
import { patchRows } from './patches.ts';

const use = (clusters: number) => ({ clusters, projects: 1, nodes: 0 });

test('lists patches that are offered or in use, newest first', () => {
  const release = {
    spec: {
      minor: '1.36',
      patches: [
        { version: '1.36.2', released: '2026-05-01', withdrawn: false },
        { version: '1.36.10', withdrawn: false },
        { version: '1.36.3', withdrawn: true },
        { version: '1.36.4', withdrawn: false },
      ],
    },
    status: { newest: '1.36.10', available: ['1.36.10', '1.36.2'] },
  } as Pick<KubernetesRelease, 'spec' | 'status'>;
  const uses = new Map([
    ['1.36.2', use(4)],
    ['1.36.1', use(2)],
    ['1.35.9', use(9)],
  ]);

  expect(patchRows(release, uses)).toEqual([
    { version: '1.36.10', released: undefined, clusters: 0, state: 'newest' },
    { version: '1.36.4', released: undefined, clusters: 0, state: 'unavailable' },
    { version: '1.36.3', released: undefined, clusters: 0, state: 'withdrawn' },
    { version: '1.36.2', released: '2026-05-01', clusters: 4, state: 'offered' },
    { version: '1.36.1', released: undefined, clusters: 2, state: 'unlisted' },
  ]);
});
