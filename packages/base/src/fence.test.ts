import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { captureGrant, FencedError, fenceFor, runUnderGrant } from './fence.ts';

function grant() {
  const state = { isValid: true };
  return { state, grant: { subject: 'team/demo', isValid: () => state.isValid } };
}

test('checks a fence when the side effect happens, not when it is requested', async () => {
  const { state, grant: held } = grant();
  const fence = await runUnderGrant(held, async () => {
    await setTimeout();
    return fenceFor('POST /servers');
  });
  expect(fence).not.toThrow();
  state.isValid = false;

  expect(fence).toThrow(FencedError);
  expect(fence).toThrow(/POST \/servers was not done: team\/demo is not/);
});

test('has no fence without a grant, and does not pass a grant on to the next run', async () => {
  const { grant: held } = grant();
  const inner = runUnderGrant(held, () => runUnderGrant(undefined, async () => fenceFor('GET /servers')));

  expect(await inner).toBeUndefined();
  expect(captureGrant()()).toBe(true);
});

test('lets background work check whether its caller’s grant is still valid', () => {
  const { state, grant: held } = grant();
  const mayContinue = runUnderGrant(held, captureGrant);
  expect(mayContinue()).toBe(true);
  state.isValid = false;

  expect(mayContinue()).toBe(false);
});
