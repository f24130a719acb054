import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  forEachPath,
  intersection,
  isEmptySet,
  MEMBER,
  parseFieldSet,
  sortedSet,
  union,
} from './field-set.ts';

function pathsOf(set: FieldSet): string[] {
  const paths: string[] = [];
  forEachPath(set, (path) => paths.push(path));
  return paths.sort();
}

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  let set: FieldSet = {};
  for (const path of paths)
    set = union(
      set,
      path.reduceRight((child, name) => ({ [`f:${name}`]: child }), MEMBER),
    );
  return set;
}

const somePaths = fc.uniqueArray(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }), {
  maxLength: 8,
  selector: (path) => path.join('.'),
});
const textOf = (paths: readonly (readonly string[])[]) => paths.map((path) => `.${path.join('.')}`).sort();

describe('field sets', () => {
  it('are sets of paths', () => {
    fc.assert(
      fc.property(somePaths, somePaths, (left, right) => {
        const [first, second] = [setOf(left), setOf(right)];
        const [leftPaths, rightPaths] = [textOf(left), textOf(right)];
        expect(pathsOf(first)).toEqual(textOf(left));
        expect(pathsOf(union(first, second))).toEqual([...new Set([...leftPaths, ...rightPaths])].sort());
        expect(pathsOf(difference(first, second))).toEqual(leftPaths.filter((path) => !rightPaths.includes(path)));
        expect(pathsOf(intersection(first, second))).toEqual(leftPaths.filter((path) => rightPaths.includes(path)));
        expect(isEmptySet(difference(first, first))).toBe(true);
      }),
    );
  });

  it('are reused if unchanged', () => {
    fc.assert(
      fc.property(somePaths, somePaths, (left, right) => {
        const [all, part] = [setOf([...left, ...right]), setOf(left)];
        expect(union(all, part)).toBe(all);
        expect(difference(all, { 'f:z': MEMBER })).toBe(all);
      }),
    );
  });

  it('format items as in conflict messages', () => {
    const set = { 'f:l': { 'k:{"a":"x","b":1}': { '.': MEMBER, 'f:c': MEMBER }, 'v:"y"': MEMBER, 'i:2': MEMBER } };
    expect(pathsOf(set)).toEqual(['.l[2]', '.l[="y"]', '.l[a="x",b=1]', '.l[a="x",b=1].c']);
  });

  it('are written in order, and rejected if invalid', () => {
    expect(Object.keys(sortedSet({ 'v:1': MEMBER, 'f:b': MEMBER, '.': MEMBER, 'f:a': MEMBER }))).toEqual([
      '.',
      'f:a',
      'f:b',
      'v:1',
    ]);
    expect(parseFieldSet({ 'f:a': { 'k:{}': {} } })).toBeDefined();
    expect(parseFieldSet({ 'f:a': 1 })).toBeUndefined();
    expect(parseFieldSet({ a: {} })).toBeUndefined();
  });
});
