import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..');
const MARKS =
  /\bDate\.now\b|new Date\(|Intl\.(?:DateTime|RelativeTime)Format|toLocale(?:Date|Time)?String\(\)|\btoUTCString\b/g;
/** Files that may access the time directly, and why. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'api/server-clock.ts': ['Date.now', 'new Date('],
  // Records the time of the request for the server clock.
  'api/request.ts': ['Date.now'],
  'text/time.ts': ['Intl.DateTimeFormat', 'new Date(', 'Intl.RelativeTimeFormat'],
  // Uses the browser's timers.
  'app/shell/session-notice.tsx': ['Date.now'],
  'session/session.ts': ['Date.now'],
  'session/single-sign-on.ts': ['Date.now'],
  // Reads the name of the user's time zone.
  'text/time-zone.ts': ['Intl.DateTimeFormat'],
};

it('reads the time from one clock, and formats times in one place', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.includes('.test.'));
  const found = files.flatMap((file) => {
    const marksUsed = new Set(readFileSync(join(src, file), 'utf8').match(MARKS) ?? []);
    return marksUsed.size === 0 ? [] : [[file, [...marksUsed].sort()]];
  });

  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(ALLOWED).map(([file, marksUsed]) => [file, [...marksUsed].sort()])),
  );
});
