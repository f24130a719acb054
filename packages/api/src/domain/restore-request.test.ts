import { expect, test } from 'vitest';
import { isNewRestore, type PastRestores } from './restore-request.ts';

const A = '20261121-163000-000';
const B = '20261122-163000-000';
const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-11-23T12:00:00Z', '2026-11-24T12:00:00Z', '2026-11-25T12:00:00Z'];

const noRestores: PastRestores = {};
const timedRestores: PastRestores = { lastRestore: { snapshot: A, requestedAt: TUESDAY } };
const untimed: PastRestores = { lastRestore: { snapshot: A } };
const twoRestores: PastRestores = {
  lastRestore: { snapshot: B, requestedAt: TUESDAY },
  earlierRestores: [{ snapshot: A }],
};

test.each([
  { asked: { snapshot: A }, past: noRestores, isNew: true, reason: 'nothing was restored before' },
  { asked: { snapshot: A }, past: untimed, isNew: false, reason: 'the snapshot was already restored' },
  { asked: { snapshot: B }, past: untimed, isNew: true, reason: 'the snapshot differs' },
  { asked: { snapshot: A, requestedAt: MONDAY }, past: untimed, isNew: true, reason: 'a time makes it a new request' },
  {
    asked: { snapshot: A, requestedAt: TUESDAY },
    past: timedRestores,
    isNew: false,
    reason: 'the request was already processed',
  },
  { asked: { snapshot: A, requestedAt: WEDNESDAY }, past: timedRestores, isNew: true, reason: 'the time is later' },
  {
    asked: { snapshot: B, requestedAt: TUESDAY },
    past: timedRestores,
    isNew: true,
    reason: 'the snapshot differs at the same time',
  },
  {
    asked: { snapshot: B, requestedAt: MONDAY },
    past: timedRestores,
    isNew: false,
    reason: 'the time is earlier than the last one',
  },
  { asked: { snapshot: B }, past: timedRestores, isNew: true, reason: 'the time of the request is unknown' },
  { asked: { snapshot: A }, past: twoRestores, isNew: false, reason: 'the request was processed before the last one' },
])('$asked is new: $isNew, because $reason', ({ asked, past, isNew }) => {
  expect(isNewRestore(asked, past)).toBe(isNew);
});
