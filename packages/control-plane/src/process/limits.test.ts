import { expect, test } from 'vitest';
import { COMPONENTS } from './components.ts';
import { componentLimits } from './limits.ts';

const MIB = 2 ** 20;

test('the programs of a control plane share its memory, most of it for the API server', () => {
  const shares = COMPONENTS.map((component) => componentLimits(component, 2048).memoryBytes ?? 0);

  expect(shares.reduce((sum, share) => sum + share)).toBeLessThanOrEqual(2048 * MIB);
  expect(shares.map((bytes) => bytes / MIB)).toEqual([409, 1126, 348, 163]);
});

test('the limit of the Go runtime is below that of the program', () => {
  const { memoryBytes = 0, env } = componentLimits('etcd', 1000);

  expect(memoryBytes).toBe(200 * MIB);
  expect(env).toEqual({ GOMAXPROCS: '2', GOMEMLIMIT: String(180 * MIB) });
});

test('a plan without a limit sets none', () => {
  expect(componentLimits('kube-scheduler', undefined)).toEqual({ memoryBytes: undefined, env: { GOMAXPROCS: '1' } });
});
