import type { Cluster } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { requestTime } from './hibernate.ts';

const NOW_MS = Date.parse('2026-11-26T10:00:00.500Z');

test.each([
  { before: undefined, expected: '2026-11-26T10:00:00Z' },
  { before: '2026-11-26T09:00:00Z', expected: '2026-11-26T10:00:00Z' },
  { before: '2026-11-26T10:00:30Z', expected: '2026-11-26T10:00:31Z' },
])('requests a time after $before: $expected', ({ before, expected }) => {
  const cluster = { spec: { hibernation: { enabled: true, requestedAt: before } } } as unknown as Cluster;

  expect(requestTime(cluster, NOW_MS)).toBe(expected);
});
