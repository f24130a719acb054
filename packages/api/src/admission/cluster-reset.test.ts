import { expect, test } from 'vitest';
import { aCluster } from '../testing/objects.ts';
import { resetWarnings } from './cluster-reset.ts';

const LAST = '2026-06-01T12:00:00Z';
const ENDPOINT = { host: '192.0.2.1', port: 6443 };

function warningsFor(requestedAt: string) {
  const reset = { requestedAt: LAST, phase: 'Complete', since: LAST, nodes: 'Delete' } as const;
  const before = aCluster({ reset: { requestedAt: LAST, confirm: 'demo' } }, { name: 'demo' });
  const old = { ...before, status: { endpoint: ENDPOINT, reset } };
  return resetWarnings({ cluster: aCluster({ reset: { requestedAt, confirm: 'demo' } }, { name: 'demo' }), old });
}

test('a time that is not later than that of the last reset is told to do nothing, others what they do', () => {
  expect(warningsFor('2026-06-01T11:00:00Z')).toEqual([
    'spec.reset.requestedAt (2026-06-01T11:00:00Z): is not later than the last reset, 2026-06-01T12:00:00Z: nothing is reset',
  ]);
  expect(warningsFor('2026-06-01T13:00:00Z')).toEqual([
    expect.stringContaining('everything in the cluster is deleted'),
  ]);
  expect(warningsFor(LAST)).toEqual([]);
});
