import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Recorded = z.object({
  /** Of the cluster that it ran in. */
  kubernetes: z.string(),
  decisions: z.record(z.string(), z.object({ sizes: z.record(z.string(), z.int()), gone: z.array(z.string()) })),
});

/** What cluster-autoscaler decided of each situation, by key, as `npm run compare:autoscalers` wrote it down. */
export const UPSTREAM = Recorded.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'upstream-decisions.json'), 'utf8')),
);
