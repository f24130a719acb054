import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALWAYS_ON_LABELS, HARMLESS_LABELS, REFUSED_LABELS, TRANSLATED_LABELS } from './clusters/known-labels.ts';
import { ROUTES } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/tenants/magnum.md'), 'utf8');

/** Rows of the table below a heading; backticks are removed from the first cell. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^`([^`]+)`$/, '$1')),
    );
}

test('the page for tenants has every call with its first version', () => {
  const told = rowsBelow('Calls').map(([call = '', since = '']) => `${call} ${since}`);
  const served = ROUTES.map(({ method, path, since = 1 }) => `${method} ${path} 1.${since}`);

  expect(told.toSorted()).toEqual(served.toSorted());
});

test('the page for tenants has every label and its effect', () => {
  const told = rowsBelow('Labels').map(([label = '', outcome = '']) => `${label}: ${outcome}`);
  const known = [
    ...TRANSLATED_LABELS.map((label) => `${label}: translated`),
    ...Object.keys(REFUSED_LABELS).map((label) => `${label}: refused`),
    ...Object.keys(ALWAYS_ON_LABELS).map((label) => `${label}: always on`),
  ];

  expect(told.toSorted()).toEqual(known.toSorted());
});

test('the page for tenants has every harmless label', () => {
  const missing = HARMLESS_LABELS.filter((name) => !page.includes(`\`${name}\``));

  expect(missing).toEqual([]);
});

test('the page for tenants has the messages of refusals', () => {
  const words = new Set(Object.values(REFUSED_LABELS));
  const told = rowsBelow('Labels').map(([, , text = '']) => text.replaceAll('`', ''));

  expect([...words].filter((text) => !told.includes(text))).toEqual([]);
});
