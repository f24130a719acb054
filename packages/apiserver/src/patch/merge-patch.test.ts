import type { Json } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

/** JSON without null, which a merge patch cannot set inside an object. */
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(0, 1, 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('merge patch', () => {
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [['a'], { a: 1 }, { a: 1 }],
    [{ a: 1 }, ['c'], ['c']],
    [{}, { a: { b: { c: null } } }, { a: { b: {} } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  ])('%j patched with %j is %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it('treats an inherited JavaScript name like any other', () => {
    const from: unknown = JSON.parse('{"__proto__":{}}');
    expect(createMergePatch(from as Json, { a: [] })).toEqual(JSON.parse('{"__proto__":null,"a":[]}'));
  });

  it('creates a patch that reproduces the difference', () => {
    fc.assert(
      fc.property(value, value, (from, to) => {
        const patch = createMergePatch(from, to);
        expect(patch === undefined ? from : applyMergePatch(from, patch)).toEqual(to);
      }),
    );
  });
});
