import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { KEYS } from './keys.ts';

const program = buildProgram(fakeContext());
const options = ['up', 'serve'].flatMap(
  (name) => program.commands.find((command) => command.name() === name)?.options ?? [],
);

test('has every option of up and serve as a key in the file', () => {
  const known = new Set(KEYS.map(({ facts }) => facts.option));

  expect(options.length).toBeGreaterThan(30);
  expect(options.map((option) => option.attributeName()).filter((name) => !known.has(name))).toEqual([
    'config',
    'config',
  ]);
});

test('has the same defaults in the file and on the command line', () => {
  const stated = KEYS.filter(({ facts }) => facts.default !== undefined);
  const flagsWithDefaults = options.filter(({ defaultValue }) => defaultValue !== undefined);

  expect(flagsWithDefaults).not.toEqual([]);
  for (const option of flagsWithDefaults) {
    const key = stated.find(({ facts }) => facts.option === option.attributeName());
    expect({ option: option.long, value: key?.schema.parse(key.facts.default) }).toEqual({
      option: option.long,
      value: option.defaultValue,
    });
  }
});

test('allows every default', () => {
  const wrong = KEYS.filter(
    ({ schema, facts }) => facts.default !== undefined && !schema.safeParse(facts.default).success,
  );

  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('has no two keys with the same variable or option', () => {
  expect(new Set(KEYS.map(({ variable }) => variable)).size).toBe(KEYS.length);
  expect(new Set(KEYS.map(({ facts }) => facts.option)).size).toBe(KEYS.length);
});

test.each([
  ['audit.maxSizeMB', 'FAIRWAY_AUDIT_MAX_SIZE_MB'],
  ['gateway.webhookURL', 'FAIRWAY_GATEWAY_WEBHOOK_URL'],
  ['home', 'FAIRWAY_HOME'],
  ['limits.maxWatchesPerUser', 'FAIRWAY_LIMITS_MAX_WATCHES_PER_USER'],
])('names %s %s in the environment', (name, variable) => {
  expect(KEYS.find((key) => key.name === name)?.variable).toBe(variable);
});
