/** Environment variable with the repeats of each file, as JSON: `RepeatsOfFiles`. */
export const REPEATS_VARIABLE = 'FAIRWAY_LEDGER_REPEATS';

export interface Repeats {
  readonly title: string;
  readonly fields: readonly string[];
}

export type RepeatsOfFiles = Readonly<Record<string, readonly Repeats[]>>;

/** One repeat of a test. `blind` is empty for the first and last repeats, which see every field. */
export interface Attempt {
  readonly blind: string;
  readonly isPassed: boolean;
  readonly durationMs: number;
}

/**
 * A pattern for the full names of a title, or of the titles that a table generates from it: `$reason` and `%s` match
 * any text.
 */
export function titlePattern(title: string): string {
  const literal = title.replaceAll('\\', '').split(/\$[A-Za-z.]+|%[sdijo]/);
  return literal.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
}

/** The fields that the test with this full name proves, without duplicates. */
export function fieldsOf(repeats: readonly Repeats[], fullName: string): readonly string[] {
  const matching = repeats.filter(({ title }) => new RegExp(titlePattern(title)).test(fullName));
  return [...new Set(matching.flatMap(({ fields }) => fields))];
}

declare module 'vitest' {
  interface TaskMeta {
    ledger?: Attempt[];
  }
}
