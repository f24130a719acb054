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

test('the tenants’ page contains every call with its first version', () => {
  const documented = rowsBelow('Calls').map(([call = '', since = '']) => `${call} ${since}`);
  const served = ROUTES.map(({ method, path, since = 1 }) => `${method} ${path} 1.${since}`);

  expect(documented.toSorted()).toEqual(served.toSorted());
});

test('the tenants’ page contains every label and its effect', () => {
  const documented = rowsBelow('Labels').map(([label = '', outcome = '']) => `${label}: ${outcome}`);
  const expected = [
    ...TRANSLATED_LABELS.map((label) => `${label}: translated`),
    ...Object.keys(REFUSED_LABELS).map((label) => `${label}: refused`),
    ...Object.keys(ALWAYS_ON_LABELS).map((label) => `${label}: always on`),
  ];

  expect(documented.toSorted()).toEqual(expected.toSorted());
});

test('the tenants’ page contains every harmless label', () => {
  const missing = HARMLESS_LABELS.filter((name) => !page.includes(`\`${name}\``));

  expect(missing).toEqual([]);
});

test('the tenants’ page contains the reasons for refused labels', () => {
  const messages = new Set(Object.values(REFUSED_LABELS));
  const documented = rowsBelow('Labels').map(([, , text = '']) => text.replaceAll('`', ''));

  expect([...messages].filter((text) => !documented.includes(text))).toEqual([]);
});
