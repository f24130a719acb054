import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * zod keeps an error for each invalid item of a collection, and a response may contain a million items. Cloud responses
 * are therefore parsed with `list` and `record`, which report only the first error.
 */
const BARE_COLLECTION = /\bz\s*\.\s*(?:array|record|partialRecord|looseRecord|map|set)\(|\)\s*\.\s*array\(\s*\)/g;

/** Files that may use other schemas, and why. */
const EXCEPTIONS: readonly { readonly path: string; readonly reason: string }[] = [
  { path: 'packages/openstack/src/types/collections.ts', reason: 'defines them' },
  { path: 'packages/openstack/src/config/', reason: "the operator's own files" },
];

const FILES = execFileSync('git', ['ls-files', 'packages/openstack/src'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/\/(behaviour|testing)\//.test(path))
  .filter((path) => !EXCEPTIONS.some((exception) => path.startsWith(exception.path)));

function bareCollectionsIn(text: string): readonly string[] {
  return [...text.matchAll(BARE_COLLECTION)].map(({ 0: found }) => found);
}

test('cloud responses are parsed with list and record', () => {
  const found = FILES.flatMap((path) =>
    bareCollectionsIn(readFileSync(path, 'utf8')).map(
      (call) => `${path}: ${call}; use list or record of types/collections.ts`,
    ),
  );

  expect(FILES.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});

test.each(['z.array(z.string())', 'z\n  .record(z.string(), Item)', 'z.string().array()'])('finds %j', (text) => {
  expect(bareCollectionsIn(text)).toHaveLength(1);
});

test.each(['list(z.string())', 'record(Item)', 'Array.isArray(x)'])('allows %j', (text) => {
  expect(bareCollectionsIn(text)).toEqual([]);
});
