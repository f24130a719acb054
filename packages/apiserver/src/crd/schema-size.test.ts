import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { validateStructuralSchema } from './structural-schema.ts';

function schemaOf(count: number, property: (index: number) => Schema): Schema {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, property(index)]));
  return { type: 'object', properties };
}

function rule(text: string): Schema {
  return { type: 'string', 'x-kubernetes-validations': [{ rule: text }] };
}

describe('the size of a schema', () => {
  it.each<[string, Schema, RegExp]>([
    [
      'patterns',
      schemaOf(1000, (index) => ({ type: 'string', pattern: `^${'[a-z]'.repeat(14)}${index}$` })),
      /its patterns have at least \d+ characters, the limit is 65536/,
    ],
    [
      'compiled patterns',
      schemaOf(60, (index) => ({ type: 'string', pattern: `^[a-z]{900}${index}$` })),
      /its patterns, compiled, have at least \d+ instructions, the limit is 50000/,
    ],
    [
      'rules',
      schemaOf(50, (index) => rule(`self == "${index}${'x'.repeat(6000)}"`)),
      /its rules have at least \d+ characters, the limit is 262144/,
    ],
  ])('bounds %s', (_, schema, detail) => {
    const expected = { type: 'FieldValueTooLong', field: 's', detail: expect.stringMatching(detail) };
    expect(validateStructuralSchema(schema, 's')).toEqual([expected]);
  });

  it('counts duplicates once', () => {
    const schema = schemaOf(3000, () => ({ type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }));
    expect(validateStructuralSchema(schema, 's')).toEqual([]);
  });
});
