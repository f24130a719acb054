import type { AuditEvent } from './audit-event.ts';
import { VERBS } from './filters.ts';

/** What was done, beside the verbs: some subresources are an action of their own. */
const DEEDS = [...VERBS, 'kubeconfig', 'token', 'run', 'forward', 'log', 'scale', 'evict', 'place', 'other'] as const;
export type AuditedAction = (typeof DEEDS)[number];

/** A map: subresources are what somebody has written into an address, `constructor` for one. */
const BY_SUBRESOURCE: ReadonlyMap<string, AuditedAction> = new Map([
  ['kubeconfig', 'kubeconfig'],
  ['token', 'token'],
  ['exec', 'run'],
  ['attach', 'run'],
  ['portforward', 'forward'],
  ['log', 'log'],
  ['eviction', 'evict'],
  ['binding', 'place'],
]);
const CHANGES: ReadonlySet<string> = new Set(['update', 'patch']);

interface Told {
  readonly action: AuditedAction;
  /** Of a part of the object: what is left to be said of it. */
  readonly subresource: string | undefined;
}

/** What an event tells that somebody did. */
export function auditedAction({ verb, objectRef }: Pick<AuditEvent, 'verb' | 'objectRef'>): Told {
  const subresource = objectRef?.subresource || undefined;
  const special = subresource === undefined ? undefined : BY_SUBRESOURCE.get(subresource);
  if (special !== undefined) return { action: special, subresource: undefined };
  if (subresource === 'scale' && CHANGES.has(verb)) return { action: 'scale', subresource: undefined };
  return { action: VERBS.find((each) => each === verb) ?? 'other', subresource };
}
