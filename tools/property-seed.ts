import { configureGlobal } from 'fast-check';

/**
 * Property tests draw the same cases on every run, so that a change is what makes one fail; PROPERTY_SEED=N draws others, and
 * PROPERTY_RUNS=N more of them. What a new seed finds becomes a case of its own.
 */
const { PROPERTY_SEED = '20261121', PROPERTY_RUNS } = process.env;

configureGlobal({
  seed: Number(PROPERTY_SEED),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) }),
});
