import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { expect, test } from 'vitest';
import { readRecord } from './cluster-record.ts';
import { ClusterSlots } from './cluster-slots.ts';
import { FakeMachine, MemoryFiles } from './testing/fake-machine.ts';

/** A disk that is full for a single write. */
class FullDisk extends MemoryFiles {
  isFull = false;

  override write(path: string, text: string): Promise<void> {
    if (this.isFull) return Promise.reject(new Error('ENOSPC'));
    return super.write(path, text);
  }
}

test('retries a failed write of a record on the next call', async () => {
  const files = new FullDisk();
  const fake = new FakeMachine();
  const slots = new ClusterSlots<object>(
    {
      folder: '/planes',
      address: '127.0.0.1',
      host: fake,
      probes: fake,
      files,
      isPortFree: () => Promise.resolve(true),
      env: {},
      clock: new FakeClock(),
      random: () => 0.5,
      log: silentLogger,
    },
    {
      open: () => ({}),
      stop: () => Promise.resolve(),
      remove: () => Promise.resolve(),
      free: () => Promise.resolve(),
    },
  );
  const stored = () => readRecord(files, join('/planes', 'uid'))?.version;
  const slot = await slots.serialize('uid', async (each) => {
    await slots.recordOf(each, undefined);
  });

  files.isFull = true;
  await expect(slots.keep(slot, { version: '1.36.3' })).rejects.toThrow('ENOSPC');
  expect([slot.record?.version, stored()]).toEqual([undefined, undefined]);
  files.isFull = false;
  await slots.keep(slot, { version: '1.36.3' });

  expect([slot.record?.version, stored()]).toEqual(['1.36.3', '1.36.3']);
});
