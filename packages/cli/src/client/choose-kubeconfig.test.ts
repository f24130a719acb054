import { expect, test } from 'vitest';
import { chooseKubeconfig, isKubeconfigExplicit } from './choose-kubeconfig.ts';

test.each([
  {
    option: 'k',
    env: { KUBECONFIG: '/e' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/k',
    reason: 'the option takes precedence',
  },
  {
    option: undefined,
    env: { KUBECONFIG: '/e' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: undefined,
    reason: 'KUBECONFIG comes next',
  },
  {
    option: undefined,
    env: {},
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/.fairway/kubeconfig',
    isNamed: false,
    reason: 'the home in this folder comes next and may belong to someone else',
  },
  {
    option: undefined,
    env: { FAIRWAY_HOME: '/h' },
    files: ['/h/kubeconfig'],
    chosen: '/h/kubeconfig',
    reason: 'a home in the environment comes next',
  },
  {
    option: undefined,
    env: { KUBECONFIG: '' },
    files: ['/w/.fairway/kubeconfig'],
    chosen: '/w/.fairway/kubeconfig',
    isNamed: false,
    reason: 'an empty KUBECONFIG counts as unset',
  },
  { option: undefined, env: {}, files: [], chosen: undefined, reason: 'the default of kubectl comes last' },
])('$chosen: $reason', ({ option, env, files, chosen, isNamed = true }) => {
  const exists = (path: string) => new Set<string>(files).has(path);

  const path = chooseKubeconfig({ option, env, cwd: '/w', exists });
  expect(path).toBe(chosen);
  expect(isKubeconfigExplicit(path, { option, env })).toBe(isNamed);
});
