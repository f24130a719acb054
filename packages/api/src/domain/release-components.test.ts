import { expect, test } from 'vitest';
import { aRelease } from '../testing/releases.ts';
import { componentsOf } from './release-components.ts';

const components = { containerd: '2.2.7', pause: '3.10.1' };
const patches = [
  { version: '1.35.0', withdrawn: false },
  { version: '1.35.1', withdrawn: false, components: { containerd: '2.2.8' } },
];
const releases = [aRelease('1.34'), aRelease('1.35', { components, patches })];

test('uses the component versions of the release', () => {
  expect(componentsOf('1.35.0', releases)).toEqual(components);
  expect(componentsOf('1.35.9', releases)).toEqual(components);
  expect(componentsOf('1.36.0', releases)).toEqual({});
});

test('prefers the components of a patch to those of its minor version', () => {
  expect(componentsOf('1.35.1', releases)).toEqual({ containerd: '2.2.8', pause: '3.10.1' });
});
