import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const RecordedDecisions = z.object({
  /** The Kubernetes version of the cluster in which cluster-autoscaler ran. */
  kubernetes: z.string(),
  decisions: z.record(z.string(), z.object({ sizes: z.record(z.string(), z.int()), gone: z.array(z.string()) })),
});

/** cluster-autoscaler's decision for each situation, by key, as recorded by `npm run compare:autoscalers`. */
export const UPSTREAM_DECISIONS = RecordedDecisions.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'upstream-decisions.json'), 'utf8')),
);
