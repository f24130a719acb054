import { ConfinedModule } from '@fairway/base/testing/confined-module';
import { afterAll, describe, expect, it } from 'vitest';
import type { Schema } from './schema.ts';

/** A tenant's schemas, rules and values that would run forever without cost limits. */

const schemas = new ConfinedModule(new URL('./schema-cost-fixture.ts', import.meta.url));
afterAll(() => schemas.close());

const text: Schema = { type: 'string' };
const integers: Schema = { type: 'array', items: { type: 'integer' } };
const RULE_COST_ERROR =
  /^'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to/;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

describe('patterns', () => {
  it('match in time proportional to the text', async () => {
    const schema: Schema = { ...text, pattern: '^(a+)+$' };
    const errors = await schemas.call('errorsOfSchema', schema, `${'a'.repeat(100_000)}!`);
    expect(errors).toEqual([expect.stringContaining("should match '^(a+)+$'")]);
  });
});

describe('schemas', () => {
  it.each<[string, Schema, unknown]>([
    [
      'alternatives for long lists',
      { type: 'array', items: { anyOf: numbers(2000).map((minimum) => ({ minimum })) } },
      numbers(100_000),
    ],
    ['values of long enums', { type: 'array', items: { type: 'integer', enum: numbers(20_000) } }, numbers(1000)],
    [
      'patterns for long strings',
      { ...text, allOf: numbers(500).map((index) => ({ pattern: `[a-z]{200}${index}` })) },
      'a'.repeat(300_000),
    ],
    ['errors', { type: 'array', items: text }, numbers(150_000)],
  ])('stop a check with too many %s', async (_, schema, value) => {
    await expect(schemas.call('errorsOfSchema', schema, value)).rejects.toThrow(
      /Request entity too large: the object takes more than 5000000 steps to validate/,
    );
  });

  it('check a large object completely', async () => {
    const list: Schema = {
      type: 'array',
      items: { ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
    };
    const value = numbers(20_000).map((index) => `name-${index}`);
    expect(await schemas.call('errorsOfSchema', list, value)).toEqual([]);
  });
});

/** `cel.bind(x1, x0 OP x0, cel.bind(x2, x1 OP x1, …` */
function doublingRule(levels: number, double: (name: string) => string, result: string): string {
  const binds = numbers(levels).map((level) => `cel.bind(x${level + 1}, ${double(`x${level}`)}, `);
  return `cel.bind(x0, self, ${binds.join('')}${result}${')'.repeat(levels + 1)}`;
}

describe('rules', () => {
  it.each<[string, string, Schema, unknown]>([
    ['nested loops', 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))', integers, numbers(1000)],
    [
      'nested loops in an operand of ||',
      'self.exists(x, self.exists(y, self.exists(z, x < 0))) || true',
      integers,
      numbers(300),
    ],
    ['lists that double in size', doublingRule(40, (name) => `${name} + ${name}`, 'x40.size() >= 0'), integers, [1, 2]],
    ['strings that double in size', doublingRule(40, (name) => `${name} + ${name}`, 'x40.size() >= 0'), text, 'ab'],
    [
      'comparing lists with shared parts',
      doublingRule(40, (name) => `[${name}, ${name}]`, 'x40 == [x39, [x38, x38]]'),
      integers,
      [1],
    ],
    ['replacements with long strings', 'self.replace("a", self).size() > 0', text, 'a'.repeat(20_000)],
    [
      'joined strings',
      'self.map(x, "aaaaaaaaaa").join(self.map(x, "bbbbbbbbbb").join()).size() > 0',
      integers,
      numbers(5000),
    ],
    ['comparing large sets', 'sets.contains(self, self.map(x, x + 1))', integers, numbers(5000)],
    ['a search for each item', 'self.all(x, self.indexOf(x) >= 0)', integers, numbers(3000)],
    ['time zone conversions', 'self.all(x, timestamp(x).getHours("Europe/Berlin") >= 0)', integers, numbers(5000)],
    [
      'decoding the same JSON repeatedly',
      'self.all(x, bytes("[" + self.map(y, "0,").join() + "0]").json() != x)',
      integers,
      numbers(5000),
    ],
    [
      'a new pattern for each item',
      'self.map(x, "aaaa".matches("a" + string(x))).size() > 0',
      integers,
      numbers(100_000),
    ],
    ['matching long strings', 'self.matches("[a-z]{1000}$")', text, 'a'.repeat(1_000_000)],
  ])('are stopped if they cost too much: %s', async (_, rule, schema, value) => {
    const errors = (await schemas.call('errorsOfRule', rule, schema, value)) as string[];
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/operation cancelled|running out of cost budget/);
  });

  it.each([
    ['digits', '1'.repeat(100_000)],
    ['digits within the budget', '1'.repeat(3000)],
    ['digits and decimal points', '1.'.repeat(1500)],
    ['parts', '1h'.repeat(50_000)],
    ['parts, the last one without a unit', `${'1h'.repeat(100)}1`],
  ])('reject an invalid duration of any length: %s', async (_, value) => {
    const [error = ''] = (await schemas.call(
      'errorsOfRule',
      'duration(self) > duration("1s")',
      text,
      value,
    )) as string[];
    expect(error).toMatch(/invalid duration string: 1/);
    expect(error.length).toBeLessThan(1000);
  });

  it("report the exceeded limit with Kubernetes' message", async () => {
    const rule = 'self.all(x, self.all(y, x + y >= 0))';
    const errors = (await schemas.call('errorsOfRule', rule, integers, numbers(2000))) as string[];
    expect(errors[0]).toMatch(RULE_COST_ERROR);
    expect(errors[0]).toContain(`limit for rule: ${rule}`);
  });

  it.each<[string, string, RegExp]>([
    ['too long', `self == "${'a'.repeat(10_000)}"`, /has 10010 characters, the limit is 10000/],
    ['made of too many parts', `1${'+1'.repeat(4990)} > 0`, /Exceeded maxAstNodes \(5000\)/],
    ['nested', `${'('.repeat(200)}true${')'.repeat(200)}`, /Exceeded maxDepth \(100\)/],
    ['a chain of negations', `${'!'.repeat(9000)}true`, /nests too deeply|maxAstNodes|Exceeded/],
    ['a chain of operators', `true${' && true'.repeat(1200)}`, /^$|nests too deeply/],
  ])('are rejected if they are %s', async (_, rule, message) => {
    const [error = ''] = (await schemas.call('errorsOfRule', rule, text, 'x')) as string[];
    expect(error).toMatch(message);
  });

  it('may iterate over an entire large list', async () => {
    const rule = 'self.all(x, x >= 0 && x < 1000000) && self.exists(x, x == 29999)';
    expect(await schemas.call('errorsOfRule', rule, integers, numbers(30_000))).toEqual([]);
  });

  it('match like Go', async () => {
    expect(await schemas.call('errorsOfRule', "self.matches('^\\\\pL+$')", text, 'Größe')).toEqual([]);
    const [error] = (await schemas.call('errorsOfRule', "self.matches('(?=a)')", text, 'a')) as string[];
    expect(error).toContain('invalid or unsupported Perl syntax: `(?=`');
  });

  it('create no messages longer than 5 KiB', async () => {
    const errors = await schemas.call('errorsOfRule', 'false', text, 'a'.repeat(6000), 'self');
    expect(errors).toEqual(['failed rule: false']);
  });
});
