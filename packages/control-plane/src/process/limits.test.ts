import { expect, test } from 'vitest';
import { COMPONENTS } from './components.ts';
import { componentLimits } from './limits.ts';

const MIB = 2 ** 20;

test('divides the memory of a control plane among its programs, with most of it for the API server', () => {
  const shares = COMPONENTS.map((component) => componentLimits(component, 2048).memoryBytes ?? 0);

  expect(shares.reduce((sum, share) => sum + share)).toBeLessThanOrEqual(2048 * MIB);
  expect(shares.map((bytes) => bytes / MIB)).toEqual([409, 1126, 348, 163]);
});

test('sets the limit of the Go runtime below that of the program', () => {
  const { memoryBytes = 0, env } = componentLimits('etcd', 1000);

  expect(memoryBytes).toBe(200 * MIB);
  expect(env).toEqual({ GOMAXPROCS: '2', GOMEMLIMIT: String(180 * MIB) });
});

test('sets no limit for a plan without one', () => {
  expect(componentLimits('kube-scheduler', undefined)).toEqual({ memoryBytes: undefined, env: { GOMAXPROCS: '1' } });
});
