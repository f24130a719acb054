import { expect, test } from 'vitest';
import { parseBackupSchedule } from './backup-schedule.ts';

const at = (text: string) => Date.parse(text);

test.each([
  ['0 */6 * * *', '2026-01-01T05:59:59Z', '2026-01-01T00:00:00Z', '2026-01-01T06:00:00Z', 'between two'],
  ['0 */6 * * *', '2026-01-01T06:00:00Z', '2026-01-01T06:00:00Z', '2026-01-01T12:00:00Z', 'at the very time'],
  ['0 3 * * 0', '2026-01-01T00:00:00Z', '2025-12-28T03:00:00Z', '2026-01-04T03:00:00Z', 'weekly, over a new year'],
])('%s at %s was last due at %s and is next due at %s: %s', (text, now, last, next) => {
  const schedule = parseBackupSchedule(text);

  expect([schedule?.lastDue(at(now)), schedule?.nextDue(at(now))]).toEqual([at(last), at(next)]);
});

test('disables backups for the schedule never', () => {
  expect(parseBackupSchedule('never')).toBeUndefined();
});

test.each([
  ['61 * * * *', /minute/, 'a minute that does not exist'],
  ['* * * * * *', /5 parts/, 'seconds'],
  ['daily', /configuration format/, 'no cron at all'],
  ['0 0 30 2 *', /never comes/, 'a day that does not exist'],
])('refuses %s with %s: %s', (text, words) => {
  expect(() => parseBackupSchedule(text)).toThrow(words);
});
