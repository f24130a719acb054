import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..');
const MARKS =
  /\bDate\.now\b|new Date\(|Intl\.(?:DateTime|RelativeTime)Format|toLocale(?:Date|Time)?String\(\)|\btoUTCString\b/g;
/** What has to do with times by itself, and why. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'api/server-clock.ts': ['Date.now', 'new Date('],
  // Time of the request, which the clock gets.
  'api/request.ts': ['Date.now'],
  'text/time.ts': ['Intl.DateTimeFormat', 'new Date(', 'Intl.RelativeTimeFormat'],
  // The browser's own timers.
  'app/shell/session-notice.tsx': ['Date.now'],
  'session/session.ts': ['Date.now'],
  'session/single-sign-on.ts': ['Date.now'],
  // The name of the reader's time zone.
  'text/time-zone.ts': ['Intl.DateTimeFormat'],
};

it('asks one clock for the time, and writes times in one place', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.includes('.test.'));
  const found = files.flatMap((file) => {
    const used = new Set(readFileSync(join(src, file), 'utf8').match(MARKS) ?? []);
    return used.size === 0 ? [] : [[file, [...used].sort()]];
  });

  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(ALLOWED).map(([file, used]) => [file, [...used].sort()])),
  );
});
