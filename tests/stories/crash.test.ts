import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Lane } from '../crash/lane.ts';

/** Total number of kills; each interrupts Fairway at a different point. */
const ROUNDS = Number(process.env['FAIRWAY_CRASH_ROUNDS'] ?? 200);
const SEED = Number(process.env['FAIRWAY_CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));
/** Concurrent Fairway processes, each with its own cloud and home. */
const LANES = 4;
const KILL_WITHIN_MS = 800;
const KILL_START_WITHIN_MS = 500;
/** Kills between two convergence checks. */
const ROUNDS_PER_CHECK = 10;
/**
 * Convergence takes a minute, and two more if an eviction was granted when a tenant's API server was killed: CoreDNS's
 * PodDisruptionBudget counts the eviction as in progress for that long (DeletionTimeout of
 * pkg/controller/disruption). The value is twice that, for a busy machine.
 */
const CONVERGE_TIMEOUT_MS = 400_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-crash-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe(`${ROUNDS} kills of Fairway (FAIRWAY_CRASH_SEED=${SEED})`, () => {
  test.concurrent.each(Array.from({ length: LANES }, (_, index) => ({ lane: index + 1, seed: SEED + index })))(
    'lane $lane loses nothing, duplicates nothing and converges (seed $seed)',
    { timeout: (ROUNDS / LANES / ROUNDS_PER_CHECK + 3) * CONVERGE_TIMEOUT_MS },
    async ({ lane: number, seed }) => {
      const random = seededRandom(seed);
      const lane = await Lane.open(join(folder, `lane-${number}`), random);
      try {
        await lane.start();
        const rounds = Math.ceil(ROUNDS / LANES);
        for (let round = 1; round <= rounds; round++) {
          if (random() < 0.2) await lane.killDuringStart(KILL_START_WITHIN_MS);
          else await lane.round(KILL_WITHIN_MS);
          if (round % ROUNDS_PER_CHECK === 0) await lane.converge(CONVERGE_TIMEOUT_MS);
        }
        await lane.converge(CONVERGE_TIMEOUT_MS);
        await lane.clear(CONVERGE_TIMEOUT_MS);
      } finally {
        await lane.close();
      }
      expect(lane.actions.length).toBeGreaterThan(0);
    },
  );
});
