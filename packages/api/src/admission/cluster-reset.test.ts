import { expect, test } from 'vitest';
import { aCluster } from '../testing/objects.ts';
import { resetWarnings } from './cluster-reset.ts';

const LAST_RESET_TIME = '2026-06-01T12:00:00Z';
const ENDPOINT = { host: '192.0.2.1', port: 6443 };

function warningsFor(requestedAt: string) {
  const reset = { requestedAt: LAST_RESET_TIME, phase: 'Complete', since: LAST_RESET_TIME, nodes: 'Delete' } as const;
  const before = aCluster({ reset: { requestedAt: LAST_RESET_TIME, confirm: 'demo' } }, { name: 'demo' });
  const old = { ...before, status: { endpoint: ENDPOINT, reset } };
  return resetWarnings({ cluster: aCluster({ reset: { requestedAt, confirm: 'demo' } }, { name: 'demo' }), old });
}

test('warns that a reset no later than the last one has no effect, and about what a later reset does', () => {
  expect(warningsFor('2026-06-01T11:00:00Z')).toEqual([
    'spec.reset.requestedAt (2026-06-01T11:00:00Z): is not later than the last reset, 2026-06-01T12:00:00Z: nothing is reset',
  ]);
  expect(warningsFor('2026-06-01T13:00:00Z')).toEqual([
    expect.stringContaining('everything in the cluster is deleted'),
  ]);
  expect(warningsFor(LAST_RESET_TIME)).toEqual([]);
});
