import { MAX_EARLIER_RESTORES } from '@fairway/api/domain/restore-request';
import { describe, expect, test } from 'vitest';
import {
  type ClusterRecord,
  choosePort,
  endpointOf,
  makeRecord,
  quotaToApply,
  readRecord,
  wipedRecord,
  withRestore,
} from './cluster-record.ts';
import { MemoryFiles } from './testing/fake-machine.ts';

describe('settings fixed for the lifetime of a cluster', () => {
  test.each([
    { address: undefined, host: '127.0.0.1', reason: 'old records contain no address' },
    { address: '10.0.0.1', host: '10.0.0.1', reason: 'nodes already use this address' },
  ])('keep the endpoint at $host: $reason', ({ address, host }) => {
    const record = { port: 20_001, encryptionKey: '', ...(address && { address }) };

    expect(endpointOf(record)).toEqual({ host, port: 20_001 });
  });

  test('include a port that is neither assigned to another cluster nor in use', async () => {
    const draws = [0, 0.0001, 0.0002];
    const random = () => draws.shift() ?? 0;

    expect(await choosePort(new Set([20_000]), random, (port) => Promise.resolve(port !== 20_001))).toBe(20_002);
  });

  test('are those of the first process if two create a record concurrently', async () => {
    const files = new MemoryFiles();
    const stopped = Promise.withResolvers<void>();
    const inputs = { files, folder: '/planes/uid', others: [], address: '127.0.0.1', endpoint: undefined };
    const draw = (port: number) => () => (port - 20_000) / 10_000;

    const second = makeRecord({
      ...inputs,
      ports: new Set(),
      random: draw(20_002),
      isPortFree: () => stopped.promise.then(() => true),
    });
    const first = await makeRecord({
      ...inputs,
      ports: new Set(),
      random: draw(20_001),
      isPortFree: () => Promise.resolve(true),
    });
    stopped.resolve();

    expect(await second).toEqual(first);
    expect(readRecord(files, '/planes/uid')).toEqual(first);
  });

  test('cannot be created without a free port', async () => {
    await expect(
      choosePort(
        new Set(),
        () => 0,
        () => Promise.resolve(false),
      ),
    ).rejects.toThrow(/no free port between 20000/);
  });
});

test.each([
  { applied: undefined, wanted: 100, used: undefined, quota: 100, reason: 'etcd starts for the first time' },
  { applied: 100, wanted: 200, used: 49, quota: 100, reason: 'the quota does not justify an interruption yet' },
  { applied: 100, wanted: 200, used: 50, quota: 200, reason: 'half of the quota is used' },
  { applied: 200, wanted: 100, used: 150, quota: 200, reason: 'a quota never shrinks' },
  { applied: 100, wanted: 200, used: undefined, quota: 100, reason: 'the used size is unknown' },
])('runs etcd with quota $quota: $reason', ({ applied, wanted, used, quota }) => {
  expect(quotaToApply(applied, wanted, used)).toBe(quota);
});

test('remembers restores, newest first and up to a limit, even after a reset', () => {
  const names = Array.from({ length: MAX_EARLIER_RESTORES + 5 }, (_, i) => `${i}`);
  let record: ClusterRecord = { port: 20_000, encryptionKey: 'key' };
  for (const [i, snapshot] of names.entries()) record = { ...record, ...withRestore(record, { snapshot }, i) };
  const { restored, restoredBefore } = wipedRecord(record);

  expect(restored).toEqual({ snapshot: names.at(-1), atMs: names.length - 1 });
  expect(restoredBefore?.map(({ snapshot }) => snapshot)).toEqual(
    names.slice(0, -1).toReversed().slice(0, MAX_EARLIER_RESTORES),
  );
});
