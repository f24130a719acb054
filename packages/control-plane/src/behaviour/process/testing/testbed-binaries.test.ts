import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testbedBinaries } from '../../../process/testing/testbed-binaries.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../../testbed/kubernetes/testbed');

test.each([
  { env: { HOME: '/home/me' }, folder: '/home/me/.cache/fairway/kubernetes/bin' },
  { env: { HOME: '/home/me', XDG_CACHE_HOME: '/cache' }, folder: '/cache/fairway/kubernetes/bin' },
  { env: { HOME: '/home/me', XDG_CACHE_HOME: '/cache', K8STEST_CACHE: '/own' }, folder: '/own/bin' },
])('finds the binaries where the script builds them with $env', ({ env, folder }) => {
  expect(testbedBinaries(env)).toBe(folder);
  expect(execFileSync(SCRIPT, ['path'], { env: { ...env, PATH: '/usr/bin:/bin' }, encoding: 'utf8' }).trim()).toBe(
    folder,
  );
});
