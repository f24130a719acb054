import { KINDS } from '@fairway/api/kinds/all';
import type { AuditTrail } from '@fairway/apiserver/audit/audit-trail';
import { type Cause, objectName } from '@fairway/base/tracing';
import { createsByName } from './answer-facts.ts';
import { NameScanner } from './name-scanner.ts';

/** Tells those who may follow from a write of an object, before it is made, in whose trace it is. Never rejects. */
export type AnnounceWrite = (object: string, cause: Cause) => Promise<void>;

/** Announces a write of an object of Fairway's, if its name is known beforehand. */
export async function announceWrite(
  announce: AnnounceWrite | undefined,
  trail: AuditTrail,
  body: Uint8Array | undefined,
  cause: Cause,
): Promise<void> {
  // A trace that comes to nothing is nobody's.
  if (announce === undefined || trail.resource === undefined || !cause.traceparent.endsWith('-01')) return;
  const { group, plural, namespace, name: named } = trail.resource;
  const kind = KINDS.find((each) => each.group === group && each.plural === plural)?.kind;
  const name = createsByName(trail) ? body && new NameScanner().scan(body) : named;
  if (kind === undefined || name === undefined || name === '') return;
  await announce(objectName(kind, namespace, name), cause);
}
