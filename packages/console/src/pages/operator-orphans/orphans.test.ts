import {
  CLEANUP_TIME_ANNOTATION,
  CLUSTER_LABEL,
  DELETED_CLUSTER_LABEL,
  PROJECT_ID_ANNOTATION,
} from '@fairway/api/group';
import { expect, test } from 'vitest';
import { samplesOf } from '../operator/metrics-text.ts';
import { CLUSTER_ENDED_LABEL, deletedClusters, ORPHANS_METRIC, orphanCounts } from './orphans.ts';

test('counts existing orphans by kind, and omits other metrics', () => {
  const text = [
    'fairway_orphans{kind="server",state="deleting"} 2',
    'fairway_orphans{kind="server",state="held"} 1',
    'fairway_orphans{kind="port",state="held"} 0',
    'fairway_orphans_deleted_total{kind="server"} 9',
  ].join('\n');

  expect(orphanCounts(samplesOf(text, ORPHANS_METRIC))).toEqual([{ kind: 'server', deleting: 2, held: 1 }]);
});

test('reads the records that Fairway writes, latest first', () => {
  const record = (name: string, cluster: string, ended: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      uid: `uid of ${name}`,
      labels: { [DELETED_CLUSTER_LABEL]: 'u' },
      annotations: { [CLUSTER_LABEL]: cluster, [CLEANUP_TIME_ANNOTATION]: ended, [PROJECT_ID_ANNOTATION]: 'p' },
    },
  });
  const records = [record('a', 'team/one', '2026-01-01T00:00:00Z'), record('b', 'team/two', '2026-01-02T00:00:00Z')];

  expect(CLUSTER_ENDED_LABEL).toBe(DELETED_CLUSTER_LABEL);
  expect(deletedClusters([...records, { metadata: { name: 'none' } }])).toEqual([
    { name: 'b', uid: 'uid of b', cluster: 'team/two', projectID: 'p', ended: '2026-01-02T00:00:00Z' },
    { name: 'a', uid: 'uid of a', cluster: 'team/one', projectID: 'p', ended: '2026-01-01T00:00:00Z' },
  ]);
});
