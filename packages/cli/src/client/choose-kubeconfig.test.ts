import { expect, test } from 'vitest';
import { chooseKubeconfig } from './choose-kubeconfig.ts';

test.each([
  {
    option: 'k',
    env: { KUBECONFIG: '/e' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/k',
    reason: 'the option wins',
  },
  {
    option: undefined,
    env: { KUBECONFIG: '/e' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: undefined,
    reason: 'then KUBECONFIG',
  },
  {
    option: undefined,
    env: {},
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/.fairway/kubeconfig',
    reason: 'then the home here',
  },
  {
    option: undefined,
    env: { FAIRWAY_HOME: '/h' },
    files: ['/h/kubeconfig'],
    chosen: '/h/kubeconfig',
    reason: 'or the home that is named',
  },
  {
    option: undefined,
    env: { KUBECONFIG: '' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/.fairway/kubeconfig',
    reason: 'an empty KUBECONFIG is none',
  },
  { option: undefined, env: {}, files: [], chosen: undefined, reason: 'then what kubectl would read' },
])('$chosen: $reason', ({ option, env, files, chosen }) => {
  const exists = (path: string) => new Set<string>(files).has(path);

  expect(chooseKubeconfig({ option, env, cwd: '/w', exists })).toBe(chosen);
});
