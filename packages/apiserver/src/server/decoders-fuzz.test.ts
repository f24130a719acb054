import { ConfinedModule } from '@fairway/base/testing/confined-module';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Decoder } from './decoders-fuzz-fixture.ts';

/**
 * Runs each decoder on a thousand inputs, in a thread with a heap limit and a deadline; PROPERTY_RUNS and PROPERTY_SEED
 * vary the inputs.
 */

const decoders = new ConfinedModule(new URL('./decoders-fuzz-fixture.ts', import.meta.url));
afterAll(() => decoders.close());

function runsOf(numRuns: number): { seed: number; numRuns: number } {
  const { seed = 0, numRuns: requestedRuns = numRuns } = fc.readConfigureGlobal();
  return { seed, numRuns: requestedRuns };
}

describe('a decoder returns a bounded value or rejects, for any input of', () => {
  it.each<[Decoder, number]>([
    ['yaml', 1000],
    ['json', 1000],
    ['json-patch', 1000],
    ['merge-patch', 500],
    ['strategic-merge-patch', 1000],
    ['apply-patch', 500],
    ['protobuf', 1000],
    ['selectors', 1000],
    ['quantities', 1000],
    ['json-paths', 1000],
    ['patterns', 300],
    ['cel', 500],
    ['requests', 300],
  ])('%s', async (decoder, numRuns) => {
    const runs = runsOf(numRuns);
    expect(await decoders.call('fuzz', decoder, runs)).toBe(runs.numRuns);
  });
});
