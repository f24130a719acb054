import { expect, test } from 'vitest';
import { followedRequest, isNewRequest, MAX_REQUEST_LENGTH, requestIn } from './request.ts';

const MONDAY = '2026-06-01T12:00:00Z';
const TUESDAY = '2026-06-02T12:00:00Z';
const LONG = 'x'.repeat(1024);

test.each([
  { asked: undefined, followed: undefined, isNew: false, reason: 'nobody ever asked' },
  { asked: undefined, followed: 'a', isNew: false, reason: 'it was taken away' },
  { asked: 'a', followed: undefined, isNew: true, reason: 'it is the first' },
  { asked: '', followed: undefined, isNew: true, reason: 'an empty value is one' },
  { asked: 'a', followed: 'a', isNew: false, reason: 'it was followed' },
  { asked: 'b', followed: 'a', isNew: true, reason: 'it is another word' },
  { asked: TUESDAY, followed: MONDAY, isNew: true, reason: 'it is a later time' },
  { asked: MONDAY, followed: TUESDAY, isNew: false, reason: 'a repository has the one before the last' },
  {
    asked: '2026-06-02T12:00:00.000Z',
    followed: TUESDAY,
    isNew: false,
    reason: 'it is the same time, spelt otherwise',
  },
  { asked: '2026-06-02T13:30:00+02:00', followed: TUESDAY, isNew: false, reason: 'it is earlier, in another zone' },
  { asked: '2026-06-02T13:30:00+01:00', followed: TUESDAY, isNew: true, reason: 'it is later, in another zone' },
  { asked: '1', followed: TUESDAY, isNew: true, reason: 'a number is no year' },
  { asked: 'retry 2', followed: 'retry 3', isNew: true, reason: 'words have no order' },
  { asked: '2026-13-45T99:00:00Z', followed: TUESDAY, isNew: true, reason: 'there is no such time' },
  { asked: LONG.slice(0, MAX_REQUEST_LENGTH), followed: LONG, isNew: false, reason: 'a former release recorded more' },
])('$asked after $followed is new: $isNew, because $reason', ({ asked, followed, isNew }) => {
  expect(isNewRequest(asked, followed)).toBe(isNew);
  expect(followedRequest(asked, followed)).toBe((isNew ? asked : followed)?.slice(0, MAX_REQUEST_LENGTH));
});

test('of a long value the beginning counts, however often it is looked at', () => {
  const asked = requestIn({ metadata: { annotations: { request: `${LONG}a` } } }, 'request');

  expect(asked).toHaveLength(MAX_REQUEST_LENGTH);
  expect(isNewRequest(asked, followedRequest(asked, undefined))).toBe(false);
  expect(requestIn({ metadata: {} }, 'request')).toBeUndefined();
});

test('a value that is cut through a character is followed once', () => {
  const value = `${'x'.repeat(MAX_REQUEST_LENGTH - 1)}\u{1f680}`;
  const asked = requestIn({ metadata: { annotations: { request: value } } }, 'request');
  // As what is stored in UTF-8 is read again.
  const read = Buffer.from(followedRequest(asked, undefined) ?? '', 'utf8').toString('utf8');

  expect(isNewRequest(asked, read)).toBe(false);
  expect(asked).toBe(read);
});
