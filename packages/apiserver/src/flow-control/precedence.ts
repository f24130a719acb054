import type { FlowSchema } from '@fairway/kube/kinds/generated/types';

/** The order in which FlowSchemas are asked: by precedence, and by name where that is the same. */
export function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  return difference === 0 ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : difference;
}
