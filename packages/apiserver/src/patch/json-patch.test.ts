import type { Json } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';

describe('JSON patch', () => {
  it.each<[string, Json, object[], Json]>([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['overwrites an existing member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['inserts an item', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends an item', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [
      'removes',
      { a: [1, 2], b: 1 },
      [
        { op: 'remove', path: '/a/0' },
        { op: 'remove', path: '/b' },
      ],
      { a: [2] },
    ],
    ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: null }], { a: { b: null } }],
    ['replaces an item', { a: [1, 2] }, [{ op: 'replace', path: '/a/1', value: 3 }], { a: [1, 3] }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '/b' }], { a: { x: 1 }, b: { x: 1 } }],
    ['tests', { a: { x: 1, y: 2 } }, [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
    ['treats a missing value as null in a test', {}, [{ op: 'test', path: '/a', value: null }], {}],
    [
      'decodes escaped tokens',
      { 'a/b': 1, 'c~d': 1 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    ['replaces the document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    [
      'treats __proto__ like any other name',
      {},
      [{ op: 'add', path: '/__proto__', value: 1 }],
      JSON.parse('{"__proto__":1}'),
    ],
  ])('%s', (_, target, patch, expected) => {
    const previous = JSON.stringify(target);
    expect(JSON.stringify(applyJsonPatch(target, patch))).toBe(JSON.stringify(expected));
    expect(JSON.stringify(target)).toBe(previous);
  });

  it.each<[string, object[], string]>([
    ['a failed test', [{ op: 'test', path: '/a', value: 2 }], 'testing value /a failed'],
    ['removing a missing member', [{ op: 'remove', path: '/b' }], 'path /b does not exist'],
    ['replacing a missing member', [{ op: 'replace', path: '/b', value: 1 }], 'path /b does not exist'],
    ['adding below a missing member', [{ op: 'add', path: '/b/c', value: 1 }], 'path /b/c does not exist'],
    ['an index beyond the end', [{ op: 'add', path: '/l/2', value: 1 }], 'invalid index: 2'],
    ['an index with a leading zero', [{ op: 'add', path: '/l/01', value: 1 }], 'invalid index: 01'],
    ['moving a value into itself', [{ op: 'move', from: '/l', path: '/l/0' }], 'cannot move /l into itself'],
    ['a path without a slash', [{ op: 'remove', path: 'a' }], 'path'],
  ])('rejects %s with 422', (_, patch, cause) => {
    const apply = () => applyJsonPatch({ a: 1, l: [1] }, patch);
    expect(apply).toThrow('the server rejected our request due to an error in our request');
    const expected = {
      code: 422,
      reason: 'Invalid',
      causes: [expect.objectContaining({ message: expect.stringContaining(cause) })],
    };
    expect(apply).toThrow(expect.objectContaining(expected));
  });

  it('allows larger copies of long strings than of many small values, which cost more', () => {
    const copies = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ op: 'copy', from: '/a', path: `/b${index}` }));
    const large = { a: 'x'.repeat(1_000_000) };
    const small = { a: Array.from({ length: 1_000 }, () => 1) };

    expect(Object.keys(applyJsonPatch(large, copies(3)) as object)).toHaveLength(4);
    expect(Object.keys(applyJsonPatch(small, copies(20)) as object)).toHaveLength(21);
    expect(() => applyJsonPatch(small, copies(30))).toThrow(expect.objectContaining({ code: 413 }));
  });

  it.each<[string, unknown, number]>([
    ['a patch that is not a list', { op: 'add' }, 400],
    ['an unknown op', [{ op: 'put', path: '/a' }], 422],
    ['a missing path', [{ op: 'remove' }], 422],
    ['a missing from', [{ op: 'copy', path: '/a' }], 422],
  ])('rejects %s', (_, patch, code) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(expect.objectContaining({ code }));
  });

  it('does nothing with an empty patch', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(applyJsonPatch(value as Json, [])).toEqual(value);
      }),
    );
  });
});
