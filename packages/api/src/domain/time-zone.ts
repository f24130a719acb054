import { suggest } from './suggest.ts';

/** Longer than any name of the time zone database. */
export const MAX_TIME_ZONE_LENGTH = 64;

/** Why the name is no time zone; undefined if it is one. An offset such as +01:00 is none: it would not follow daylight saving time. */
export function timeZoneProblem(name: string): string | undefined {
  if (/^[+-]/.test(name))
    return 'is an offset: name a time zone such as Europe/Berlin, which knows about daylight saving time, or UTC';
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    const hint = suggest(name, Intl.supportedValuesOf('timeZone'));
    const near = hint.startsWith('did you mean') ? `; ${hint}` : '';
    return `is no time zone of the IANA database: give its name, such as Europe/Berlin or UTC${near}`;
  }
}
