import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { UsageRecord, UsageRecordStatus } from '@fairway/api/kinds/usage-record';
import { usageRecordName, usageRecords } from '@fairway/api/kinds/usage-record';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { recordOf, recordStep } from './record-step.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const DAY = 86_400_000;
const CLUSTER = aCluster({}, { uid: 'uid-1' });

function aRecord(
  metadata: UsageRecord['metadata'] = {},
  status?: UsageRecordStatus,
  clusterUID = 'uid-1',
): UsageRecord {
  return {
    apiVersion: 'fairway.dev/v1alpha1',
    kind: usageRecords.kind,
    metadata: { name: usageRecordName(clusterUID), namespace: 'team', ...metadata },
    spec: { clusterName: 'demo', clusterUID, namespace: 'team' },
    ...(status && { status }),
  };
}

const MOVED = aRecord({ namespace: SYSTEM_NAMESPACE }, {});
const EMPTY_COPY = aRecord({ namespace: SYSTEM_NAMESPACE });

test.each([
  { what: 'of a cluster', record: aRecord(), cluster: CLUSTER, step: { action: 'none' } },
  { what: 'whose Cluster is missing from the cache', record: aRecord(), cluster: undefined, step: { action: 'check' } },
  {
    what: 'of an earlier cluster of that name',
    record: aRecord({}, {}, 'uid-0'),
    cluster: CLUSTER,
    step: { action: 'check' },
  },
  {
    what: 'whose namespace is being deleted',
    record: aRecord({ deletionTimestamp: '2026-05-01T11:00:00Z' }),
    cluster: CLUSTER,
    step: { action: 'move' },
  },
  {
    what: 'that was moved and then restored as well',
    record: aRecord(),
    others: [MOVED],
    cluster: CLUSTER,
    step: { action: 'delete' },
  },
  {
    what: 'that is only being moved',
    record: aRecord(),
    others: [EMPTY_COPY],
    cluster: CLUSTER,
    step: { action: 'none' },
  },
  { what: 'that was moved', record: MOVED, others: [aRecord()], cluster: CLUSTER, step: { action: 'none' } },
  {
    what: 'that ended a day ago',
    record: aRecord({}, { endedTime: '2026-04-30T12:00:00Z' }),
    cluster: undefined,
    step: { action: 'wait', waitMs: 29 * DAY },
  },
  {
    what: 'that ended 30 days ago',
    record: aRecord({}, { endedTime: '2026-04-01T12:00:00Z' }),
    cluster: undefined,
    step: { action: 'delete' },
  },
])('a record $what: $step.action', ({ record, others = [], cluster, step }) => {
  const facts = { cluster, records: [record, ...others], nowMs: NOW, retentionMs: 30 * DAY };

  expect(recordStep(record, facts)).toEqual(step);
});

test.each([
  { what: 'none', records: [], found: undefined },
  { what: 'that of another cluster', records: [aRecord({}, {}, 'uid-0')], found: undefined },
  { what: 'its own', records: [aRecord()], found: 'team' },
  { what: 'two: the moved one', records: [aRecord(), MOVED], found: SYSTEM_NAMESPACE },
])('the record of a cluster that has $what', ({ records, found }) => {
  expect(recordOf(records, CLUSTER)?.metadata.namespace).toBe(found);
});
