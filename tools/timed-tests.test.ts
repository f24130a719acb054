import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// Absolute times depend on the machine, but growth rates do not: `@fairway/base/testing/growth`.
it('no unit or behaviour test measures time', () => {
  const tests = globSync('packages/*/src/**/*.test.ts');
  expect(tests.length).toBeGreaterThan(500);
  const measuresTime = /\bperformance\.now\(|\bhrtime\b|[cC]puUsage\(|\bDate\.now\(\) - /;
  expect(tests.filter((path) => measuresTime.test(readFileSync(path, 'utf8'))).toSorted()).toEqual([]);
});
