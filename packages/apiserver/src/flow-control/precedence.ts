import type { FlowSchema } from '@fairway/kube/kinds/generated/types';

/** The order in which FlowSchemas are matched: by precedence, then by name. */
export function compareByPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  return difference === 0 ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : difference;
}
