/** What Fairway does with a field of a spec, and which test proves it. */
export interface FieldEntry {
  /**
   * - `acts`: Fairway acts on it;
   * - `refused`: every value but its default is refused, until something acts on it;
   * - `notYet`: it is accepted with a warning, and the condition `FieldsApplied` reports that it has no effect yet;
   * - `informs`: it is informational, and Fairway displays it.
   */
  readonly does: 'acts' | 'refused' | 'notYet' | 'informs';
  /** The test that fails when nothing reads the field. */
  readonly proof: Proof;
}

export interface Proof {
  /** From the root of the repository. */
  readonly file: string;
  /** As in the file. */
  readonly title: string;
  /** Why the field can't be removed from what the test reads, and how the test proves it instead. */
  readonly insteadOfBlinding?: string;
}

/** All fields of a kind's spec, by path: `spec.template.spec.taints[].key`. */
export type FieldLedger = Readonly<Record<string, FieldEntry>>;

export function acts(file: string, title: string): FieldEntry {
  return { does: 'acts', proof: { file, title } };
}

export function informs(file: string, title: string): FieldEntry {
  return { does: 'informs', proof: { file, title } };
}

export function refused(file: string, title: string): FieldEntry {
  return { does: 'refused', proof: { file, title } };
}

export function notYet(file: string, title: string): FieldEntry {
  return { does: 'notYet', proof: { file, title } };
}

/** A test that proves the field without removing it, and the reason. */
export function provenBy(does: FieldEntry['does'], file: string, title: string, insteadOfBlinding: string): FieldEntry {
  return { does, proof: { file, title, insteadOfBlinding } };
}

export const IN_COLUMN = 'shows what is for people in a column';

/** Informational: `kubectl get` shows it. */
export function inColumn(): FieldEntry {
  const file = 'packages/api/src/testing/ledger/ledger.test.ts';
  const why = 'the API server shows the column; the test finds it among those of the kind';
  return provenBy('informs', file, IN_COLUMN, why);
}
