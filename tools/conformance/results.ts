import { z } from 'zod';
import type { Outcome } from './report.ts';

/** Kinds of clusters, with their names in the table. */
export const CLUSTER_KINDS = {
  hollow: 'hollow cluster',
  process: '`process` control plane, hollow nodes',
  nodes: 'real nodes',
} as const;
export type ClusterKind = keyof typeof CLUSTER_KINDS;

const Result = z.strictObject({ state: z.enum(['passed', 'failed', 'skipped']), why: z.string().optional() });

/** The last result of each test, by kind of cluster and name. */
export const Results = z.strictObject({
  kubernetes: z.string(),
  clusters: z.partialRecord(
    z.enum(['hollow', 'process', 'nodes']),
    z.strictObject({
      /** Date of the last run, `YYYY-MM-DD`. */
      date: z.string(),
      tests: z.record(z.string(), Result),
    }),
  ),
});
export type Results = z.infer<typeof Results>;

/** The results, updated with those of a run. A run against another release starts over. */
export function merge(
  old: Results,
  run: { readonly kubernetes: string; readonly kind: ClusterKind; readonly date: string },
  outcomes: readonly Outcome[],
): Results {
  const clusters = old.kubernetes === run.kubernetes ? old.clusters : {};
  const tests = { ...clusters[run.kind]?.tests };
  for (const { name, state, why } of outcomes) tests[name] = { state, ...(state !== 'passed' && { why }) };
  const sorted = Object.fromEntries(Object.entries(tests).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    kubernetes: run.kubernetes,
    clusters: { ...clusters, [run.kind]: { date: run.date, tests: sorted } },
  };
}
