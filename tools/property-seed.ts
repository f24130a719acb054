import { configureGlobal } from 'fast-check';

/**
 * Property tests generate the same cases on every run, so only code changes can make one fail; PROPERTY_SEED=N
 * generates different cases, and PROPERTY_RUNS=N more of them. A failure found by a new seed becomes a separate test
 * case.
 */
const { PROPERTY_SEED = '20261121', PROPERTY_RUNS } = process.env;

configureGlobal({
  seed: Number(PROPERTY_SEED),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) }),
});
