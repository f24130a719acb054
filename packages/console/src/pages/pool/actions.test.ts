import { expect, it } from 'vitest';
import { nodeLossOf } from './actions.ts';

const POOL = { flavor: 'b3-8', replicas: 3 };

it.each([
  { after: { ...POOL, replicas: 0 }, loss: 'zero', reason: 'all nodes are deleted' },
  { after: { ...POOL, flavor: 'b3-16' }, loss: 'replaced', reason: 'each node is replaced' },
  { after: { ...POOL, flavor: 'b3-16', replicas: 0 }, loss: 'zero', reason: 'no new node replaces the deleted one' },
  { after: { ...POOL, replicas: 2 }, loss: undefined, reason: 'the other nodes take over the pods' },
  { after: { ...POOL, replicas: 4 }, loss: undefined, reason: 'no node is removed' },
  {
    after: { ...POOL, replicas: 0, autoscaling: { enabled: true } },
    loss: undefined,
    reason: 'the autoscaler brings nodes back',
  },
])('$after: $reason', ({ after, loss }) => {
  expect(nodeLossOf(POOL, after)).toBe(loss);
});

it('requires no confirmation for a pool that is already at zero', () => {
  expect(nodeLossOf({ ...POOL, replicas: 0 }, { ...POOL, replicas: 0 })).toBeUndefined();
});
