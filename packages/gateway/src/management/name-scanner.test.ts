import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameScanner } from './name-scanner.ts';

/** JSON as written by kube-apiserver, in chunks of `size` bytes. */
function scan(text: string, size: number): string | undefined {
  const scanner = new NameScanner();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    const name = scanner.scan(bytes.subarray(start, start + size));
    if (name !== undefined) return name;
  }
  return undefined;
}

test.each([
  ['{"kind":"Cluster","metadata":{"name":"demo"}}', 'demo'],
  ['{"metadata":{"labels":{"name":"label"},"managedFields":[{"name":"x"}],"name":"demo"}}', 'demo'],
  ['{"name":"top","spec":{"name":"spec"},"metadata":{"name":"demo"},"status":{"name":"s"}}', 'demo'],
  [
    '{"spec":{"metadata":{"name":"inner"}},"metadata":{"annotations":{"a":"\\"name\\":\\"b\\\\"},"name":"demo"}}',
    'demo',
  ],
  ['{ "metadata" : { "generateName" : "g-" , "name" : "g-1" } }', 'g-1'],
  ['{"metadata":{"generateName":"g-"}}', undefined],
  ['{"items":["metadata",{"name":"x"}],"metadata":{}}', undefined],
  ['k8s\0\n\x0e\n\x02v1\x12\x06Secret', undefined],
  ['', undefined],
])('%s: %s', (text, name) => {
  for (const size of [1, 2, 3, 7, 1_000]) expect(scan(text, size)).toBe(name);
});

test('finds the same name as a JSON parser, wherever the text is split', () => {
  const key = fc.constantFrom('name', 'metadata', 'labels', 'a"b', 'c\\', ':{');
  const value = fc.letrec((connect) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('name', 'x', '"', '\\', '}'),
      fc.integer(),
      fc.array(connect('any'), { maxLength: 3 }),
      fc.dictionary(key, connect('any'), { maxKeys: 4 }),
    ),
  })).any;
  const labels = fc.dictionary(key, value, { maxKeys: 4 });
  fc.assert(
    fc.property(labels, value, value, fc.integer({ min: 1, max: 40 }), (own, before, after, size) => {
      delete (own as { name?: unknown }).name;
      const object = { aspec: before, metadata: { ...own, name: 'demo' }, status: after };

      expect(scan(JSON.stringify(object), size)).toBe('demo');
    }),
  );
});
