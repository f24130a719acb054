import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPrices } from './prices.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-prices-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const file = join(folder, 'prices.yaml');
  writeFileSync(file, text);
  return file;
}

test('a price is that of the type, else that of all others', () => {
  const price = readPrices(written('Node: {b3-8: 0.05, "*": 0.1}\nVolume: {"*": 0}\n'));

  expect([price('Node', 'b3-8'), price('Node', 'constructor'), price('Volume', 'fast')]).toEqual([0.05, 0.1, 0]);
});

test('what has no price is not given away', () => {
  const price = readPrices(written('Node: {b3-8: 0.05}\n'));

  expect(() => price('Node', 'b3-16')).toThrow(/no price for Node b3-16/);
  expect(() => price('FloatingIP', 'public')).toThrow(/no price for FloatingIP public/);
});

test.each([
  ['Nodes: {}', /Nodes/],
  ['Node: {b3-8: -1}', /Node.b3-8/],
  ['Node: {b3-8: cheap}', /Node.b3-8/],
  ['Node: [', /is not YAML/],
  ['12', /expected object/],
])('%j is refused', (text, message) => {
  expect(() => readPrices(written(text))).toThrow(message);
});
