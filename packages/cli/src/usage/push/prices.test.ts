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

function writeTemporary(text: string): string {
  const file = join(folder, 'prices.yaml');
  writeFileSync(file, text);
  return file;
}

test('uses the price for the type, or the default for all other types', () => {
  const price = readPrices(writeTemporary('Node: {b3-8: 0.05, "*": 0.1}\nVolume: {"*": 0}\n'));

  expect([price('Node', 'b3-8'), price('Node', 'constructor'), price('Volume', 'fast')]).toEqual([0.05, 0.1, 0]);
});

test('refuses a resource without a price', () => {
  const price = readPrices(writeTemporary('Node: {b3-8: 0.05}\n'));

  expect(() => price('Node', 'b3-16')).toThrow(/no price for Node b3-16/);
  expect(() => price('FloatingIP', 'public')).toThrow(/no price for FloatingIP public/);
});

test.each([
  ['Nodes: {}', /Nodes/],
  ['Node: {b3-8: -1}', /Node.b3-8/],
  ['Node: {b3-8: cheap}', /Node.b3-8/],
  ['Node: [', /is not YAML/],
  ['12', /expected object/],
])('refuses %j', (text, message) => {
  expect(() => readPrices(writeTemporary(text))).toThrow(message);
});
