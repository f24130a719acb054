import type { Outcome } from './dry-run-row.ts';
import { valueAt } from './dry-run-row.ts';
import type { Row } from './row.ts';

/**
 * The component that rejects an object that violates the schema: Fairway, the embedded server through its CRDs, or a
 * real kube-apiserver.
 */
export type Validator = 'embedded' | 'management' | 'kubernetes';

/** The result that the row expects from the engine. */
export function expectedOf(
  row: Row,
  validator: Validator,
): Pick<Outcome, 'refused' | 'warningTexts'> & Pick<Row, 'has'> {
  const { refused = [], refusedByCrd = refused, refusedByKubernetes = refusedByCrd, warnings = [], has = {} } = row;
  const words = { embedded: refused, management: refusedByCrd, kubernetes: refusedByKubernetes };
  return { refused: words[validator], warningTexts: warnings, has };
}

/** The corresponding part of the actual result, limited to the fields that the row lists. */
export function outcomeOf(row: Row, { refused, warningTexts, object }: Outcome): ReturnType<typeof expectedOf> {
  const hasMessage = Object.fromEntries(Object.keys(row.has ?? {}).map((path) => [path, valueAt(object, path)]));
  return { refused, warningTexts, has: hasMessage };
}
