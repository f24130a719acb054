import { expect, test } from 'vitest';
import { cloudState } from './cloud-state.ts';

function pace(answered: number, failed: number, silent = 0) {
  return { calls: { answered, refused: 0, failed, silent }, total: answered + failed + silent };
}

const list = (failing: number) => [{ resource: 'servers', ageSeconds: 1, failing }];

test.each([
  { name: 'all calls succeed', waiting: 0, lists: list(0), pace: pace(100, 0), state: 'ready' },
  { name: 'one in twenty calls fails', waiting: 0, lists: [], pace: pace(95, 5), state: 'ready' },
  { name: 'more calls fail', waiting: 0, lists: [], pace: pace(90, 5, 5), state: 'attention' },
  { name: 'the only call failed', waiting: 0, lists: [], pace: pace(0, 1), state: 'attention' },
  {
    name: 'the last list request of a project failed',
    waiting: 0,
    lists: list(1),
    pace: pace(100, 0),
    state: 'attention',
  },
  { name: 'calls wait for the budget', waiting: 3, lists: [], pace: pace(100, 0), state: 'waiting' },
  { name: 'no call was made', waiting: 0, lists: [], pace: pace(0, 0), state: 'ready' },
  { name: 'only one reading exists', waiting: 0, lists: [], pace: undefined, state: 'progress' },
] as const)('$name: $state', ({ waiting, lists, pace: recentPace, state }) => {
  expect(cloudState({ waiting, lists }, recentPace)).toBe(state);
});
