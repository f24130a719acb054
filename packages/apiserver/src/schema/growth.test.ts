import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { compileExpression } from './cel-expression.ts';
import { parseCelCidr, parseCelIp } from './cel-network.ts';
import { objectLiteralsAsMaps } from './cel-object-literals.ts';
import { matchesIn } from './cel-patterns.ts';
import { hasFormat } from './formats.ts';
import { compilePattern } from './pattern.ts';

const FORMATS = [
  'date-time',
  'date',
  'ipv4',
  'ipv6',
  'cidr',
  'email',
  'uri',
  'hostname',
  'uuid',
  'mac',
  'duration',
  'byte',
];

test.each<[string, (text: string) => unknown]>([
  ['a pattern', compilePattern],
  ['a string matched against a pattern', (text) => matchesIn(text, '^(a+)+$')],
  ['an address in a rule', parseCelIp],
  ['a network in a rule', parseCelCidr],
  ['literals in a rule', objectLiteralsAsMaps],
  ['a rule', (text) => compileExpression(text, ['a'])],
  ...FORMATS.map((format): [string, (text: string) => unknown] => [
    `the format ${format}`,
    (text) => hasFormat(text, format),
  ]),
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
