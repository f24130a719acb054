import { suggest } from './suggest.ts';

/** Longer than any name in the time zone database. */
export const MAX_TIME_ZONE_LENGTH = 64;

/**
 * Why the name is not a time zone; undefined if it is. An offset such as +01:00 is rejected: it would not observe
 * daylight saving time.
 */
export function timeZoneProblem(name: string): string | undefined {
  if (/^[+-]/.test(name))
    return 'is a UTC offset: use a time zone with daylight saving time rules, such as Europe/Berlin, or UTC';
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    const hint = suggest(name, Intl.supportedValuesOf('timeZone'));
    const near = hint.startsWith('did you mean') ? `; ${hint}` : '';
    return `is not a time zone of the IANA database: use one such as Europe/Berlin or UTC${near}`;
  }
}
