import type { LastOperation } from '@fairway/api/kinds/status';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { operationRows } from './operations.ts';

const operation = (state: LastOperation['state'], lastUpdateTime: string): LastOperation => ({
  type: 'Scale',
  state,
  progress: 50,
  description: '',
  lastUpdateTime,
});

test('running operations come first, then the latest', () => {
  const cluster = (name: string, lastOperation?: LastOperation) => ({
    ...aCluster({}, { name, namespace: 'ns' }),
    status: { ...(lastOperation && { lastOperation }) },
  });
  const pool = {
    ...aNodePool({}, { name: 'web' }),
    status: { lastOperation: operation('Error', '2026-01-01T00:00:00Z') },
  };
  const rows = operationRows(
    [
      cluster('old', operation('Succeeded', '2026-01-02T00:00:00Z')),
      cluster('new', operation('Failed', '2026-01-03T00:00:00.500Z')),
      cluster('unseen'),
    ],
    [pool],
  );

  expect(rows.map(({ name }) => name)).toEqual([
    'nodepool.fairway.dev/web',
    'cluster.fairway.dev/new',
    'cluster.fairway.dev/old',
  ]);
});
