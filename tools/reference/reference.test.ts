import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldsOf } from './fields.ts';
import { renderReferencePages } from './render.ts';

const FOLDER = join(import.meta.dirname, '../../docs/reference');
const pages = renderReferencePages();

test('docs/reference has exactly one page for each kind', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...pages.keys()].sort());
});

test.each([...pages])('docs/reference/%s matches the schemas (npm run generate:reference)', (file, text) => {
  expect(readFileSync(join(FOLDER, file), 'utf8')).toBe(text);
});

test('fields in lists and maps have a path and a type', () => {
  const schema = {
    required: ['count'],
    properties: {
      count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many.' },
      taints: { items: { properties: { effect: { type: 'string', enum: ['NoSchedule', 'NoExecute'] } } } },
      pools: { additionalProperties: { type: 'string', format: 'cidr' } },
    },
  } as const;

  expect(fieldsOf(schema, 'spec')).toEqual([
    { path: 'spec.count', type: 'integer, 1 to 9', isRequired: true, description: 'How many.' },
    { path: 'spec.taints', type: 'any[]', isRequired: false, description: '' },
    { path: 'spec.taints[].effect', type: '"NoSchedule", "NoExecute"', isRequired: false, description: '' },
    { path: 'spec.pools', type: 'map of cidr', isRequired: false, description: '' },
  ]);
});
