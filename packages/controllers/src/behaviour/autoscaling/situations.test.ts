import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decideWithFairway } from '../../autoscaling/testing/fairway-decisions.ts';
import { renderComparison } from '../../autoscaling/testing/render-comparison.ts';
import { expectedOutcome, type Outcome } from '../../autoscaling/testing/situation.ts';
import { SITUATIONS } from '../../autoscaling/testing/situations.ts';
import { UPSTREAM_DECISIONS } from '../../autoscaling/testing/upstream-decisions.ts';

const PAGE_PATH = join(import.meta.dirname, '../../../../../docs/tenants/autoscaling-compared.md');

/** The same situations are run with cluster-autoscaler in tests/autoscaling-compared.test.ts. */
describe('Fairway decides as expected in this situation', () => {
  let decided: ReadonlyMap<string, Outcome>;

  beforeAll(async () => {
    decided = await decideWithFairway(SITUATIONS);
  });

  test.each(SITUATIONS.map((situation) => [situation.name, situation] as const))('%s', (_, situation) => {
    expect(decided.get(situation.key)).toEqual(expectedOutcome(situation));
  });
});

test('the page for tenants contains all situations (npm run generate:autoscaling)', () => {
  expect(readFileSync(PAGE_PATH, 'utf8')).toBe(renderComparison(SITUATIONS, UPSTREAM_DECISIONS));
});

test('generating the page fails on an unexplained difference', () => {
  const [situation, ...others] = SITUATIONS.filter(({ difference }) => difference !== undefined);
  const { difference: _, ...unexplained } = situation ?? SITUATIONS[0]!;

  expect(() => renderComparison([unexplained, ...others], UPSTREAM_DECISIONS)).toThrow('why is it different?');
});
