import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationSchema } from '../configuration/json-schema.ts';
import { KEYS } from '../configuration/keys.ts';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { renderConfigurationReference } from './configuration-reference.ts';

const docs = join(import.meta.dirname, '../../../../docs/operators');

test('docs/operators/configuration.md contains every key (npm run generate:cli)', () => {
  const stored = readFileSync(join(docs, 'configuration.md'), 'utf8');

  expect(stored).toBe(renderConfigurationReference(buildProgram(fakeContext())));
  expect(KEYS.filter(({ name }) => !stored.includes(`| \`${name}\` |`))).toEqual([]);
});

test('the JSON schema for editors matches the file (npm run generate:cli)', () => {
  const stored: unknown = JSON.parse(readFileSync(join(docs, 'fairway.schema.json'), 'utf8'));

  expect(stored).toEqual(JSON.parse(JSON.stringify(configurationSchema())));
});
