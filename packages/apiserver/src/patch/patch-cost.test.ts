import { ConfinedModule } from '@fairway/base/testing/confined-module';
import { afterAll, expect, it } from 'vitest';

/** With quadratic comparisons these operations would take minutes. */

const patches = new ConfinedModule(new URL('./patch-cost-fixture.ts', import.meta.url));
afterAll(() => patches.close());

it('merges long lists by key', async () => {
  expect(await patches.call('mergeByKey', 40_000)).toBe(40_000);
});

it('deletes many values from a long list', async () => {
  expect(await patches.call('deleteFromPrimitiveList', 100_000)).toBe(100_000);
});

it('applies a long list to another', async () => {
  expect(await patches.call('applyToSet', 40_000)).toBe(80_000);
});

it('rejects a patch that shifts a long list 10,000 times', async () => {
  await expect(patches.call('insertFirst', 700_000, 10_000)).rejects.toThrow(/may shift 100000000 items/);
  expect(await patches.call('insertFirst', 1000, 10_000)).toBe(11_000);
});
