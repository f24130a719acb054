import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { expect, test } from 'vitest';
import { DatabaseDefragmenter, reclaimSpace } from './database-defragmenter.ts';

/** An etcd with a full database: its size, and the size that remains after compaction. */
function fullEtcd({ size, live }: { readonly size: number; readonly live: number }) {
  const calls: string[] = [];
  let dbSize = size;
  const call = (path: string, body: object): Promise<unknown> => {
    calls.push(path.slice(path.lastIndexOf('/') + 1));
    if (path.endsWith('/defragment')) dbSize = live;
    if (path.endsWith('/alarm')) calls.push(JSON.stringify(body));
    const header = { member_id: '50587020018769287', revision: '9' };
    return Promise.resolve({ header, dbSize: String(dbSize) });
  };
  return { call, calls };
}

const DISARM_REQUEST = JSON.stringify({ action: 'DEACTIVATE', alarm: 'NOSPACE', memberID: '50587020018769287' });

test.each([
  { size: 50, live: 50, calls: ['status', 'alarm', DISARM_REQUEST], hasRoom: true, reason: 'the quota was raised' },
  {
    size: 110,
    live: 40,
    calls: ['status', 'compaction', 'defragment', 'status', 'alarm', DISARM_REQUEST],
    hasRoom: true,
    reason: 'objects were deleted',
  },
  {
    size: 110,
    live: 95,
    calls: ['status', 'compaction', 'defragment', 'status'],
    hasRoom: false,
    reason: 'the database is full of objects',
  },
])('recovers from a full database: $reason', async ({ size, live, calls, hasRoom }) => {
  const etcd = fullEtcd({ size, live });

  expect(await reclaimSpace(etcd.call, 100)).toBe(hasRoom);
  expect(etcd.calls).toEqual(calls);
});

test('defragments even if the revision is already compacted', async () => {
  const { call } = fullEtcd({ size: 110, live: 40 });
  const compacted = (path: string, body: object) =>
    path.endsWith('/compaction')
      ? Promise.reject(new Error('etcdserver: mvcc: required revision has been compacted'))
      : call(path, body);

  expect(await reclaimSpace(compacted, 100)).toBe(true);
});

test('retries once a minute, and immediately when the quota is raised', async () => {
  const clock = new FakeClock();
  const etcd = fullEtcd({ size: 110, live: 110 });
  let requestCount = 0;
  const defragmenter = new DatabaseDefragmenter({
    call: etcd.call,
    clock,
    log: silentLogger,
    onChange: () => requestCount++,
  });
  const attempts = async (quotaBytes: number) => {
    etcd.calls.splice(0);
    defragmenter.step(true, quotaBytes);
    await clock.advance(0);
    return etcd.calls.filter((call) => call === 'defragment').length;
  };

  expect(await attempts(100)).toBe(1);
  expect(await attempts(100)).toBe(0);
  expect(await attempts(105)).toBe(1);
  await clock.advance(60_000);
  expect(requestCount).toBe(1);
  expect(await attempts(105)).toBe(1);

  defragmenter.step(false, 105);
  await defragmenter.stop();
});
