import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { currentGrant, FencedError, fenceFor, runUnder } from './fence.ts';

function grant() {
  const state = { isValid: true };
  return { state, grant: { subject: 'team/demo', isValid: () => state.isValid } };
}

test('a fence is asked when the effect happens, not when it was asked for', async () => {
  const { state, grant: held } = grant();
  const fence = await runUnder(held, async () => {
    await setTimeout();
    return fenceFor('POST /servers');
  });
  expect(fence).not.toThrow();
  state.isValid = false;

  expect(fence).toThrow(FencedError);
  expect(fence).toThrow(/POST \/servers was not done: team\/demo is not/);
});

test('what needs no leave has no fence, and one run does not hand its grant to the next', async () => {
  const { grant: held } = grant();
  const inner = runUnder(held, () => runUnder(undefined, async () => currentGrant()));

  expect(await inner).toBeUndefined();
  expect(fenceFor('GET /servers')).toBeUndefined();
});
