import type { AuditEvent } from './audit-event.ts';
import { VERBS } from './filters.ts';

/** The actions: all verbs, and some subresources that are actions in their own right. */
const ACTIONS = [...VERBS, 'kubeconfig', 'token', 'run', 'forward', 'log', 'scale', 'evict', 'place', 'other'] as const;
export type AuditedAction = (typeof ACTIONS)[number];

/** A Map, because subresources come from URLs and may be `constructor`. */
const ACTION_BY_SUBRESOURCE: ReadonlyMap<string, AuditedAction> = new Map([
  ['kubeconfig', 'kubeconfig'],
  ['token', 'token'],
  ['exec', 'run'],
  ['attach', 'run'],
  ['portforward', 'forward'],
  ['log', 'log'],
  ['eviction', 'evict'],
  ['binding', 'place'],
]);
const UPDATE_VERBS: ReadonlySet<string> = new Set(['update', 'patch']);

interface ParsedAction {
  readonly action: AuditedAction;
  /** The subresource, unless the action already implies it. */
  readonly subresource: string | undefined;
}

/** The action that an event describes. */
export function auditedAction({ verb, objectRef }: Pick<AuditEvent, 'verb' | 'objectRef'>): ParsedAction {
  const subresource = objectRef?.subresource || undefined;
  const subresourceAction = subresource === undefined ? undefined : ACTION_BY_SUBRESOURCE.get(subresource);
  if (subresourceAction !== undefined) return { action: subresourceAction, subresource: undefined };
  if (subresource === 'scale' && UPDATE_VERBS.has(verb)) return { action: 'scale', subresource: undefined };
  return { action: VERBS.find((each) => each === verb) ?? 'other', subresource };
}
