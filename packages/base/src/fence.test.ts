import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FencedError, fenceFor, leaveToAct, runUnder } from './fence.ts';

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

test('what needs no permission has no fence, and one run does not hand its grant to the next', async () => {
  const { grant: held } = grant();
  const inner = runUnder(held, () => runUnder(undefined, async () => fenceFor('GET /servers')));

  expect(await inner).toBeUndefined();
  expect(leaveToAct()()).toBe(true);
});

test('what outlives its caller can ask whether it may go on', () => {
  const { state, grant: held } = grant();
  const mayGoOn = runUnder(held, leaveToAct);
  expect(mayGoOn()).toBe(true);
  state.isValid = false;

  expect(mayGoOn()).toBe(false);
});
