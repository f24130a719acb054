import { expect, test } from 'vitest';
import { chooseKubeconfig, isKubeconfigNamed } from './choose-kubeconfig.ts';

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
    isNamed: false,
    reason: 'then the home here, which may be of whoever made the folder',
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
    isNamed: false,
    reason: 'an empty KUBECONFIG is none',
  },
  { option: undefined, env: {}, files: [], chosen: undefined, reason: 'then what kubectl would read' },
])('$chosen: $reason', ({ option, env, files, chosen, isNamed = true }) => {
  const exists = (path: string) => new Set<string>(files).has(path);

  const path = chooseKubeconfig({ option, env, cwd: '/w', exists });
  expect(path).toBe(chosen);
  expect(isKubeconfigNamed(path, { option, env })).toBe(isNamed);
});
