import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { UsageRecord, UsageRecordStatus } from '@fairway/api/kinds/usage-record';
import { usageRecordName, usageRecords } from '@fairway/api/kinds/usage-record';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { recordOf, recordStep } from './record-step.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const DAY = 86_400_000;
const CLUSTER = aCluster({}, { uid: 'uid-1' });

function newRecord(
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

const MOVED = newRecord({ namespace: SYSTEM_NAMESPACE }, {});
const EMPTY_COPY = newRecord({ namespace: SYSTEM_NAMESPACE });

test.each([
  { what: 'a record of a cluster', record: newRecord(), cluster: CLUSTER, step: { action: 'none' } },
  {
    what: 'a record whose Cluster is missing from the cache',
    record: newRecord(),
    cluster: undefined,
    step: { action: 'check' },
  },
  {
    what: 'a record of an earlier cluster of that name',
    record: newRecord({}, {}, 'uid-0'),
    cluster: CLUSTER,
    step: { action: 'check' },
  },
  {
    what: 'a record in a namespace that is being deleted',
    record: newRecord({ deletionTimestamp: '2026-05-01T11:00:00Z' }),
    cluster: CLUSTER,
    step: { action: 'move' },
  },
  {
    what: 'a record that was moved and also restored',
    record: newRecord(),
    others: [MOVED],
    cluster: CLUSTER,
    step: { action: 'delete' },
  },
  {
    what: 'a record that is being moved',
    record: newRecord(),
    others: [EMPTY_COPY],
    cluster: CLUSTER,
    step: { action: 'none' },
  },
  { what: 'a record that was moved', record: MOVED, others: [newRecord()], cluster: CLUSTER, step: { action: 'none' } },
  {
    what: 'a record that ended a day ago',
    record: newRecord({}, { endedTime: '2026-04-30T12:00:00Z' }),
    cluster: undefined,
    step: { action: 'wait', waitMs: 29 * DAY },
  },
  {
    what: 'a record that ended 30 days ago',
    record: newRecord({}, { endedTime: '2026-04-01T12:00:00Z' }),
    cluster: undefined,
    step: { action: 'delete' },
  },
])('recordStep for $what is $step.action', ({ record, others = [], cluster, step }) => {
  const facts = { cluster, records: [record, ...others], nowMs: NOW, retentionMs: 30 * DAY };

  expect(recordStep(record, facts)).toEqual(step);
});

test.each([
  { what: 'none', records: [], found: undefined },
  { what: 'another cluster’s record', records: [newRecord({}, {}, 'uid-0')], found: undefined },
  { what: 'its own record', records: [newRecord()], found: 'team' },
  { what: 'two records: the moved one', records: [newRecord(), MOVED], found: SYSTEM_NAMESPACE },
])('the record of a cluster with $what', ({ records, found }) => {
  expect(recordOf(records, CLUSTER)?.metadata.namespace).toBe(found);
});
