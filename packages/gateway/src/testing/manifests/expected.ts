import type { Outcome } from './ask.ts';
import { valueAt } from './ask.ts';
import type { Row } from './row.ts';

/**
 * What rejects an object that violates the schema: Fairway, the embedded server by the CRDs, or a real kube-apiserver by them.
 */
export type Refuser = 'embedded' | 'management' | 'kubernetes';

/** The engine's answer that the row expects. */
export function expectedOf(row: Row, refuser: Refuser): Pick<Outcome, 'refused' | 'warns'> & Pick<Row, 'has'> {
  const { refused = [], refusedByCrd = refused, refusedByKubernetes = refusedByCrd, warns = [], has = {} } = row;
  const words = { embedded: refused, management: refusedByCrd, kubernetes: refusedByKubernetes };
  return { refused: words[refuser], warns, has };
}

/** The same part of the actual answer, limited to the fields that the row mentions. */
export function answeredTo(row: Row, { refused, warns, object }: Outcome): ReturnType<typeof expectedOf> {
  const has = Object.fromEntries(Object.keys(row.has ?? {}).map((path) => [path, valueAt(object, path)]));
  return { refused, warns, has };
}
