/** What Fairway does with a field of a spec, and which test proves it. */
export interface FieldEntry {
  /**
   * - `acts`: Fairway acts on the field;
   * - `refuses`: every value except its default is refused, until something acts on it;
   * - `notYet`: the field is accepted with a warning, and the condition `FieldsApplied` reports that it has no effect
   *   yet;
   * - `informs`: the field is informational, and Fairway displays it.
   */
  readonly effect: 'acts' | 'refuses' | 'notYet' | 'informs';
  /** The test that fails if nothing reads the field. */
  readonly proof: Proof;
}

export interface Proof {
  /** Path from the repository root. */
  readonly file: string;
  /** The title as in the file. */
  readonly title: string;
  /** Why the field can't be removed from the object in the test, and how the test proves it instead. */
  readonly blindingAlternative?: string;
}

/** All fields of a kind's spec, by path such as `spec.template.spec.taints[].key`. */
export type FieldLedger = Readonly<Record<string, FieldEntry>>;

export function acts(file: string, title: string): FieldEntry {
  return { effect: 'acts', proof: { file, title } };
}

export function informs(file: string, title: string): FieldEntry {
  return { effect: 'informs', proof: { file, title } };
}

export function refused(file: string, title: string): FieldEntry {
  return { effect: 'refuses', proof: { file, title } };
}

export function notYet(file: string, title: string): FieldEntry {
  return { effect: 'notYet', proof: { file, title } };
}

/** A test that proves the field without removing it, and the reason why. */
export function entryProvenBy(
  effect: FieldEntry['effect'],
  file: string,
  title: string,
  blindingAlternative: string,
): FieldEntry {
  return { effect, proof: { file, title, blindingAlternative } };
}

export const IN_COLUMN_TITLE = 'shows informational fields in a column';

/** Informational: `kubectl get` shows it. */
export function inColumn(): FieldEntry {
  const file = 'packages/api/src/testing/ledger/ledger.test.ts';
  const why = "the API server shows the column; the test finds it among the kind's columns";
  return entryProvenBy('informs', file, IN_COLUMN_TITLE, why);
}
