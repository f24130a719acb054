import { expect, test } from 'vitest';
import { ClusterMutex } from './cluster-mutex.ts';

test('ClusterMutex runs one task at a time for each cluster, even after failures, and clusters independently', async () => {
  const turns = new ClusterMutex();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    log.push(`${name} begins`);
    await until;
    log.push(`${name} ends`);
  };

  const a1 = turns.take('a', work('a1', first.promise));
  const a2 = turns.take('a', work('a2'));
  await turns.take('b', work('b1'));
  first.reject(new Error('refused'));

  await expect(a1).rejects.toThrow('refused');
  await a2;
  expect(log).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a2 begins', 'a2 ends']);
});
