import type { Machine } from '@fairway/api/kinds/machine';
import type { UsageInterval, UsageRecord } from '@fairway/api/kinds/usage-record';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { aCluster } from '@fairway/api/testing/objects';
import type { Server } from '@fairway/openstack/types/server';
import { describe, expect, test } from 'vitest';
import { EndTracker } from './end-tracker.ts';
import { observeControlPlane, observeNodes, observeRootVolumes, type ServerFacts } from './observations.ts';

const NOW = at('12:00');

function at(time: string): number {
  return Date.parse(`2026-05-01T${time}:00Z`);
}

function recordWith(...intervals: readonly Partial<UsageInterval>[]): UsageRecord {
  const completeIntervals = intervals.map((interval): UsageInterval => {
    return { resource: 'Node', id: 's1', type: 'b3-8', startTime: '2026-05-01T08:00:00Z', ...interval };
  });
  return {
    apiVersion: 'fairway.dev/v1alpha1',
    kind: usageRecords.kind,
    metadata: { name: 'usage-uid-1', namespace: 'team' },
    spec: { clusterName: 'demo', clusterUID: 'uid-1', namespace: 'team' },
    status: { intervals: completeIntervals },
  };
}

describe('the usage of a control plane', () => {
  const counted = recordWith({ resource: 'ControlPlane', id: 'uid-1', type: 'free' });
  const condition = (status: 'True' | 'False', lastTransitionTime: string) => ({
    conditions: [{ type: 'ControlPlaneReady', status, reason: 'Test', message: '', lastTransitionTime }],
  });

  test.each([
    { what: 'is empty before its creation', status: {}, record: undefined, sinceMs: undefined },
    {
      what: 'is empty until it is ready',
      status: condition('False', '2026-05-01T09:00:00Z'),
      record: undefined,
      sinceMs: undefined,
    },
    {
      what: 'starts when it was ready',
      status: condition('True', '2026-05-01T09:00:00Z'),
      record: undefined,
      sinceMs: at('09:00'),
    },
    {
      what: 'starts with the creation of a restored cluster, not with a previous condition',
      status: condition('True', '2026-05-01T06:00:00Z'),
      record: undefined,
      sinceMs: at('07:00'),
    },
    {
      what: 'continues once it was counted, regardless of its state',
      status: condition('False', '2026-05-01T11:00:00Z'),
      record: counted,
      sinceMs: at('11:00'),
    },
  ])('$what', ({ status, record, sinceMs }) => {
    const cluster = { ...aCluster({}, { uid: 'uid-1', creationTimestamp: '2026-05-01T07:00:00Z' }), status };

    const { items } = observeControlPlane(cluster, record, { nowMs: NOW, isHeldUp: false });

    expect(items).toEqual(sinceMs === undefined ? [] : [{ id: 'uid-1', type: cluster.spec.plan, sinceMs }]);
  });

  const DELETED = { uid: 'uid-1', deletionTimestamp: '2026-05-01T10:00:00Z' };
  const held = [{ id: 'uid-1/held', type: 'free', sinceMs: at('10:00') }];

  test.each([
    { what: 'ends with the request', isHeldUp: false, record: counted, items: [] },
    { what: 'continues while the tenant holds up the deletion', isHeldUp: true, record: counted, items: held },
    { what: 'is empty if it was never ready', isHeldUp: true, record: undefined, items: [] },
  ])('$what, for a cluster being deleted', ({ isHeldUp, record, items }) => {
    const observed = observeControlPlane(aCluster({}, DELETED), record, { nowMs: NOW, isHeldUp });

    expect(observed.items).toEqual(items);
    expect(observed.endOf?.('uid-1')).toEqual({ fromMs: at('10:00'), toMs: at('10:00') });
    expect(observed.endOf?.('uid-1/held')).toEqual({ fromMs: NOW, toMs: NOW });
  });
});

/** Only the fields that the observations read. */
function newServer(fields: object): Server {
  const server = { id: 's1', status: 'ACTIVE', created: '2026-05-01T09:00:00Z', flavor: { original_name: 'b3-8' } };
  return { ...server, ...fields } as unknown as Server;
}

function newMachine(metadata: Machine['metadata'], spec: object = {}): Machine {
  return { apiVersion: 'fairway.dev/v1alpha1', kind: 'Machine', metadata, spec } as unknown as Machine;
}

function factsOf(servers: readonly Server[], machine?: Machine, ends = new EndTracker()): ServerFacts {
  return { atMs: NOW, servers, machineOf: () => machine, machineOfServer: () => machine, ends };
}

describe('the usage of a node', () => {
  test.each([
    {
      what: 'starts with its first launch',
      server: { 'OS-SRV-USG:launched_at': '2026-05-01T09:03:00.000000' },
      items: [{ id: 's1', type: 'b3-8', sinceMs: at('09:03') }],
    },
    { what: 'is empty before Nova has started it', server: { 'OS-SRV-USG:launched_at': null }, items: [] },
    {
      what: 'includes a stopped server',
      server: { status: 'SHUTOFF', 'OS-SRV-USG:launched_at': '2026-05-01T09:03:00.000000' },
      items: [{ id: 's1', type: 'b3-8', sinceMs: at('09:03') }],
    },
    {
      what: 'starts with its creation if the cloud reports no launch times',
      server: {},
      items: [{ id: 's1', type: 'b3-8', sinceMs: at('09:00') }],
    },
    { what: 'is empty during the build on such a cloud', server: { status: 'BUILD' }, items: [] },
    { what: 'is empty if the build failed on such a cloud', server: { status: 'ERROR' }, items: [] },
    {
      what: 'uses the flavor’s ID before microversion 2.47',
      server: { flavor: { id: 'f-1' } },
      items: [{ id: 's1', type: 'f-1', sinceMs: at('09:00') }],
    },
  ])('$what', ({ server, items }) => {
    expect(observeNodes(factsOf([newServer(server)]), undefined).items).toEqual(items);
  });

  test('continues once it has been counted, even without a launch time', () => {
    const broken = newServer({ status: 'ERROR' });

    expect(observeNodes(factsOf([broken]), recordWith({})).items).toEqual([{ id: 's1', type: 'b3-8', sinceMs: NOW }]);
  });

  const seen = new EndTracker();
  seen.note('s1', at('11:00'), at('11:05'));
  const deleted = (time: string) => newMachine({ deletionTimestamp: `2026-05-01T${time}:00Z` });

  test.each([
    { what: 'unknown', facts: factsOf([]), end: undefined },
    { what: 'between two lists', facts: factsOf([], undefined, seen), end: { fromMs: at('11:00'), toMs: at('11:05') } },
    {
      what: 'after the deletion of its machine',
      facts: factsOf([], deleted('11:30')),
      end: { fromMs: at('11:30'), toMs: NOW },
    },
    {
      what: 'between two lists, after the deletion of its machine',
      facts: factsOf([], deleted('11:02'), seen),
      end: { fromMs: at('11:02'), toMs: at('11:05') },
    },
  ])('ends at a time $what', ({ facts, end }) => {
    expect(observeNodes(facts, undefined).endOf?.('s1')).toEqual(end);
  });
});

describe('the usage of a root volume', () => {
  const server = newServer({ 'OS-SRV-USG:launched_at': '2026-05-01T09:03:00.000000' });
  const counted = recordWith({ resource: 'RootVolume', id: 's1/root', type: 'fast', quantity: 50 });

  test.each([
    {
      what: 'lasts as long as its server',
      machine: newMachine({}, { rootVolume: { sizeGiB: 50, type: 'fast' } }),
      record: undefined,
      items: [{ id: 's1/root', type: 'fast', quantity: 50, sinceMs: at('09:03') }],
    },
    {
      what: "has the cloud's default type",
      machine: newMachine({}, { rootVolume: { sizeGiB: 20 } }),
      record: undefined,
      items: [{ id: 's1/root', type: 'default', quantity: 20, sinceMs: at('09:03') }],
    },
    { what: 'is empty for a local disk', machine: newMachine({}), record: undefined, items: [] },
    {
      what: 'continues while its server outlives its machine',
      machine: undefined,
      record: counted,
      items: [{ id: 's1/root', type: 'fast', quantity: 50, sinceMs: at('08:00') }],
    },
    { what: 'is empty for a server without a machine', machine: undefined, record: undefined, items: [] },
  ])('$what', ({ machine, record, items }) => {
    expect(observeRootVolumes(factsOf([server], machine), record).items).toEqual(items);
  });
});
