import { expect, test } from 'vitest';
import { changesOf, dryRunText } from './changes.ts';

test.each<{ reason: string; before: object | undefined; after: object; lines: readonly string[] }>([
  { reason: 'nothing', before: { spec: { a: 1 } }, after: { spec: { a: 1 } }, lines: [] },
  { reason: 'a changed value', before: { spec: { a: 1 } }, after: { spec: { a: 2 } }, lines: ['spec.a: 1 -> 2'] },
  { reason: 'a new field', before: { spec: {} }, after: { spec: { a: { b: 'x' } } }, lines: ['spec.a.b: x'] },
  { reason: 'a removed field', before: { spec: { a: true } }, after: { spec: {} }, lines: ['spec.a: true -> (none)'] },
  {
    reason: 'a list as a single value',
    before: { spec: { zones: ['a'] } },
    after: { spec: { zones: ['a', 'b'] } },
    lines: ['spec.zones: ["a"] -> ["a","b"]'],
  },
  {
    reason: 'all fields of a new object',
    before: undefined,
    after: { spec: { b: 1, a: [] } },
    lines: ['spec.a: []', 'spec.b: 1'],
  },
  {
    reason: 'labels and annotations, but no fields of the server',
    before: { metadata: { resourceVersion: '1' }, status: { a: 1 } },
    after: { metadata: { resourceVersion: '2', labels: { x: 'y' } }, status: { a: 2 } },
    lines: ['metadata.labels.x: y'],
  },
])('$reason', ({ before, after, lines }) => {
  expect(changesOf(before, after)).toEqual(lines);
});

test('a dry run says so and lists the changes', () => {
  const before = { metadata: { name: 'x' }, spec: { replicas: 3 } };
  const after = { metadata: { name: 'x' }, spec: { replicas: 5 } };

  expect(dryRunText('x scaled to 5', before, after)).toBe('x scaled to 5 (server dry run)\n  spec.replicas: 3 -> 5\n');
});
