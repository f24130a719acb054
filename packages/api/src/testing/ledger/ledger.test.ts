import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../kinds/all.ts';
import { ledgerSchemas, specFields } from '../spec-fields.ts';
import { LEDGER } from './all.ts';
import { IN_COLUMN_TITLE } from './entry.ts';

const root = join(import.meta.dirname, '../../../../..');
const lines = Object.entries(LEDGER).flatMap(([kind, fields]) =>
  Object.entries(fields).map(([path, entry]) => ({ field: `${kind} ${path}`, entry })),
);

describe('the ledger of spec fields', () => {
  test.each([...ledgerSchemas().keys()])('contains each field of a %s, and no others', (kind) => {
    expect(Object.keys(LEDGER[kind] ?? {}).sort()).toEqual(specFields(kind).sort());
  });

  test('refers to existing tests', () => {
    const missing = lines.flatMap(({ field, entry: { proof } }) => {
      const path = join(root, proof.file);
      if (!existsSync(path)) return [`${field}: there is no ${proof.file}`];
      return readFileSync(path, 'utf8').includes(proof.title) ? [] : [`${field}: ${proof.file} has no ${proof.title}`];
    });

    expect(missing).toEqual([]);
  });

  test('shows informational fields in a column', () => {
    const shown = KINDS.flatMap(({ kind, columns }) => columns.map(({ value }) => `${kind} ${value.slice(1)}`));
    const hidden = lines.filter(({ entry }) => entry.proof.title === IN_COLUMN_TITLE).map(({ field }) => field);

    expect(shown).toEqual(expect.arrayContaining(hidden));
  });
});
