import { expect, test } from 'vitest';
import { isNewRestore, type PastRestores } from './restore-request.ts';

const A = '20261121-163000-000';
const B = '20261122-163000-000';
const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-11-23T12:00:00Z', '2026-11-24T12:00:00Z', '2026-11-25T12:00:00Z'];

const none: PastRestores = {};
const timed: PastRestores = { lastRestore: { snapshot: A, requestedAt: TUESDAY } };
const untimed: PastRestores = { lastRestore: { snapshot: A } };
const two: PastRestores = { lastRestore: { snapshot: B, requestedAt: TUESDAY }, earlierRestores: [{ snapshot: A }] };

test.each([
  { asked: { snapshot: A }, past: none, isNew: true, reason: 'nothing was ever restored' },
  { asked: { snapshot: A }, past: untimed, isNew: false, reason: 'it was restored' },
  { asked: { snapshot: B }, past: untimed, isNew: true, reason: 'it is another snapshot' },
  { asked: { snapshot: A, requestedAt: MONDAY }, past: untimed, isNew: true, reason: 'a time makes it another' },
  { asked: { snapshot: A, requestedAt: TUESDAY }, past: timed, isNew: false, reason: 'it was restored' },
  { asked: { snapshot: A, requestedAt: WEDNESDAY }, past: timed, isNew: true, reason: 'it is later' },
  { asked: { snapshot: B, requestedAt: TUESDAY }, past: timed, isNew: true, reason: 'another one at the same time' },
  { asked: { snapshot: B, requestedAt: MONDAY }, past: timed, isNew: false, reason: 'it is earlier than the last' },
  { asked: { snapshot: B }, past: timed, isNew: true, reason: 'nobody knows from when it is' },
  { asked: { snapshot: A }, past: two, isNew: false, reason: 'it was restored before the last one' },
])('$asked is new: $isNew, because $reason', ({ asked, past, isNew }) => {
  expect(isNewRestore(asked, past)).toBe(isNew);
});
