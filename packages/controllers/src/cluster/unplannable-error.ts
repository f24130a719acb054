import type { ConditionReason } from '@fairway/api/conditions';
import type { Problem } from '@fairway/tenancy/problem';

/** Aborts planning a network, because of a problem. */
export class UnplannableError extends Error {
  override readonly name = 'UnplannableError';
  readonly problem: Problem;

  constructor(reason: ConditionReason, message: string) {
    super(message);
    this.problem = { reason, message };
  }
}

/** Candidates, for messages. */
export function listIDs(items: readonly { readonly id: string; readonly name?: string }[]): string {
  return items.length === 0 ? 'none' : items.map(({ id, name }) => (name ? `${id} (${name})` : id)).join(', ');
}
