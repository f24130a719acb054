import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('processes all items, at most `concurrency` at a time', async () => {
  const gates = new Map([1, 2, 3].map((item) => [item, Promise.withResolvers<void>()]));
  const started: number[] = [];
  const done = inParallel([1, 2, 3], 2, async (item) => {
    started.push(item);
    await gates.get(item)?.promise;
  });

  expect(started).toEqual([1, 2]);
  for (const gate of gates.values()) gate.resolve();
  await done;
  expect(started).toEqual([1, 2, 3]);
});

test('starts no more items after a failure, and waits for running ones', async () => {
  const slow = Promise.withResolvers<void>();
  const ended: string[] = [];
  const done = inParallel(['bad', 'slow', 'late'], 2, async (item) => {
    if (item === 'bad') throw new Error('no');
    await slow.promise;
    ended.push(item);
  });

  slow.resolve();
  await expect(done).rejects.toThrow('no');
  expect(ended).toEqual(['slow']);
});
