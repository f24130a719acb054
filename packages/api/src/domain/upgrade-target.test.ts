import { expect, test } from 'vitest';
import { versionOfTarget } from './upgrade-target.ts';

test.each([
  { target: '1.36.3-0a1b2c3d', version: '1.36.3' },
  { target: '1.36.3-rc.1-0a1b2c3d', version: '1.36.3-rc.1' },
  { target: '1.36.3', version: '1.36.3', reason: 'a target without a digest' },
])('finds version $version in $target', ({ target, version }) => {
  expect(versionOfTarget(target)).toBe(version);
});
