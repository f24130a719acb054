import { expect, test } from 'vitest';
import { differences, parseSkips, renderSkips, summary } from './skips.ts';

const LIST = '# what CI lacks\n   2 tests/a.test.ts  kubectl 1.31\n   1 tests/b.test.ts  OpenTofu\n';

test('parses a line with a count, a file and requirements', () => {
  expect(parseSkips(LIST)).toEqual(
    new Map([
      ['tests/a.test.ts', { count: 2, needs: 'kubectl 1.31' }],
      ['tests/b.test.ts', { count: 1, needs: 'OpenTofu' }],
    ]),
  );
});

test.each(['two tests/a.test.ts kubectl', '2 tests/a.test.ts', '2'])('refuses the line "%s"', (line) => {
  expect(() => parseSkips(line)).toThrow(line);
});

test.each([
  { reason: 'as listed', skipped: [['tests/a.test.ts', 2]], found: [] },
  { reason: 'a file that did not run', skipped: [], found: [] },
  {
    reason: 'one more skipped test',
    skipped: [['tests/a.test.ts', 3]],
    found: ['tests/a.test.ts: skipped tests: 3, listed in .ci/skips: 2'],
  },
  { reason: 'one fewer skipped test', skipped: [['tests/b.test.ts', 0]], found: [] },
  {
    reason: 'another file',
    skipped: [['tests/c.test.ts', 1]],
    found: ['tests/c.test.ts: skipped tests: 1, listed in .ci/skips: 0'],
  },
] as const)('compares a run with the list: $reason', ({ skipped, found }) => {
  expect(differences(new Map(skipped), parseSkips(LIST))).toEqual(found);
});

test('updates the counts from a run, and keeps those of other files', () => {
  const rendered = renderSkips(
    LIST,
    new Map([
      ['tests/a.test.ts', 7],
      ['tests/c.test.ts', 1],
    ]),
  );

  expect(parseSkips(rendered)).toEqual(
    new Map([
      ['tests/a.test.ts', { count: 7, needs: 'kubectl 1.31' }],
      ['tests/b.test.ts', { count: 1, needs: 'OpenTofu' }],
      ['tests/c.test.ts', { count: 1, needs: '(say what)' }],
    ]),
  );
  expect(rendered).toContain('# what CI lacks\n');
});

test('reports what was skipped and why', () => {
  const skipped = new Map([
    ['tests/a.test.ts', 2],
    ['tests/b.test.ts', 0],
    ['tests/c.test.ts', 4],
  ]);

  expect(summary(skipped, parseSkips(LIST))).toBe(
    'skipped: 2 tests need kubectl 1.31\nskipped: 4 tests need not listed in .ci/skips\n',
  );
});
