import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJson } from './json-bounds.ts';

const WIDE = { maxDepth: 1000, maxChars: Number.MAX_SAFE_INTEGER };

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('measureJson', () => {
  it('never counts more characters than the JSON has', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(measureJson(value, WIDE)).toBeLessThanOrEqual(JSON.stringify(value).length);
      }),
    );
  });

  it('counts names and strings in full', () => {
    const text = 'x'.repeat(1000);
    expect(measureJson({ [text]: [text, text] }, WIDE)).toBeGreaterThanOrEqual(3000);
  });

  it('reports depth at the first level beyond the limit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const depth = depthOf([value]);
        expect(measureJson([value], { ...WIDE, maxDepth: depth })).toBeTypeOf('number');
        expect(measureJson([value], { ...WIDE, maxDepth: depth - 1 })).toMatchObject({ kind: 'depth' });
      }),
    );
  });

  it('reports where it stopped', () => {
    const value = { metadata: {}, spec: { containers: [{ env: { a: { b: 'c' } } }] } };
    expect(measureJson(value, { maxDepth: 5, maxChars: 1000 })).toEqual({
      kind: 'depth',
      path: 'spec.containers.0.env',
    });
  });

  it('is fast for values with shared parts', () => {
    let value: unknown = 'x';
    for (let level = 0; level < 100; level++) value = [value, value];
    expect(measureJson(value, { maxDepth: 200, maxChars: 10_000 })).toMatchObject({ kind: 'size' });
  });

  it('terminates on a cyclic value', () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(measureJson(value, { ...WIDE, maxDepth: 200 })).toMatchObject({ kind: 'depth' });
  });
});
