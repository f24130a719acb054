import { expect, test } from 'vitest';
import { isNewRequest, MAX_REQUEST_LENGTH, requestToRecord, requestValueOf } from './request.ts';

const MONDAY = '2026-06-01T12:00:00Z';
const TUESDAY = '2026-06-02T12:00:00Z';
const LONG_VALUE = 'x'.repeat(1024);

test.each([
  { asked: undefined, followed: undefined, isNew: false, reason: 'the annotation was never set' },
  { asked: undefined, followed: 'a', isNew: false, reason: 'the annotation was removed' },
  { asked: 'a', followed: undefined, isNew: true, reason: 'it is the first request' },
  { asked: '', followed: undefined, isNew: true, reason: 'an empty value is a request' },
  { asked: 'a', followed: 'a', isNew: false, reason: 'the request was already processed' },
  { asked: 'b', followed: 'a', isNew: true, reason: 'the value differs' },
  { asked: TUESDAY, followed: MONDAY, isNew: true, reason: 'the time is later' },
  { asked: MONDAY, followed: TUESDAY, isNew: false, reason: 'the time is earlier, as from an outdated repository' },
  {
    asked: '2026-06-02T12:00:00.000Z',
    followed: TUESDAY,
    isNew: false,
    reason: 'the time is the same in another notation',
  },
  {
    asked: '2026-06-02T13:30:00+02:00',
    followed: TUESDAY,
    isNew: false,
    reason: 'the time is earlier, in another zone',
  },
  { asked: '2026-06-02T13:30:00+01:00', followed: TUESDAY, isNew: true, reason: 'the time is later, in another zone' },
  { asked: '1', followed: TUESDAY, isNew: true, reason: 'a number is not a time' },
  { asked: 'retry 2', followed: 'retry 3', isNew: true, reason: 'texts have no order' },
  { asked: '2026-13-45T99:00:00Z', followed: TUESDAY, isNew: true, reason: 'the time is invalid' },
  {
    asked: LONG_VALUE.slice(0, MAX_REQUEST_LENGTH),
    followed: LONG_VALUE,
    isNew: false,
    reason: 'an earlier release recorded a longer value',
  },
])('whether $asked after $followed is new: $isNew, because $reason', ({ asked, followed, isNew }) => {
  expect(isNewRequest(asked, followed)).toBe(isNew);
  expect(requestToRecord(asked, followed)).toBe((isNew ? asked : followed)?.slice(0, MAX_REQUEST_LENGTH));
});

test('compares only the beginning of a long value', () => {
  const requested = requestValueOf({ metadata: { annotations: { request: `${LONG_VALUE}a` } } }, 'request');

  expect(requested).toHaveLength(MAX_REQUEST_LENGTH);
  expect(isNewRequest(requested, requestToRecord(requested, undefined))).toBe(false);
  expect(requestValueOf({ metadata: {} }, 'request')).toBeUndefined();
});

test('processes a value only once even if truncation splits a character', () => {
  const value = `${'x'.repeat(MAX_REQUEST_LENGTH - 1)}\u{1f680}`;
  const requested = requestValueOf({ metadata: { annotations: { request: value } } }, 'request');
  // Being stored as UTF-8 must not change the recorded value.
  const read = Buffer.from(requestToRecord(requested, undefined) ?? '', 'utf8').toString('utf8');

  expect(isNewRequest(requested, read)).toBe(false);
  expect(requested).toBe(read);
});
