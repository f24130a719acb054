import { expect, test } from 'vitest';
import { versionOfTarget } from './upgrade-target.ts';

test.each([
  { target: '1.36.3-0a1b2c3d', version: '1.36.3' },
  { target: '1.36.3-rc.1-0a1b2c3d', version: '1.36.3-rc.1' },
  { target: '1.36.3', version: '1.36.3', reason: 'without a digest' },
])('the version in $target is $version', ({ target, version }) => {
  expect(versionOfTarget(target)).toBe(version);
});
