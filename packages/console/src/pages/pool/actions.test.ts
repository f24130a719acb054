import { expect, it } from 'vitest';
import { lossOf } from './actions.ts';

const POOL = { flavor: 'b3-8', replicas: 3 };

it.each([
  { after: { ...POOL, replicas: 0 }, loss: 'zero', reason: 'all nodes go' },
  { after: { ...POOL, flavor: 'b3-16' }, loss: 'replaced', reason: 'each node goes for another' },
  { after: { ...POOL, flavor: 'b3-16', replicas: 0 }, loss: 'zero', reason: 'none comes for it' },
  { after: { ...POOL, replicas: 2 }, loss: undefined, reason: 'the others take the pods' },
  { after: { ...POOL, replicas: 4 }, loss: undefined, reason: 'nothing goes' },
  { after: { ...POOL, replicas: 0, autoscaling: { enabled: true } }, loss: undefined, reason: 'pods bring nodes back' },
])('$after: $reason', ({ after, loss }) => {
  expect(lossOf(POOL, after)).toBe(loss);
});

it('asks nothing again of a pool that is at zero', () => {
  expect(lossOf({ ...POOL, replicas: 0 }, { ...POOL, replicas: 0 })).toBeUndefined();
});
