import { expect, test } from 'vitest';
import { builtinDefinitions } from '../kinds/definitions.ts';
import { compileRules } from './cel-compile.ts';
import { compileExpression } from './cel-expression.ts';
import { celTypeOfKind } from './cel-schema-types.ts';
import { TypedExpression } from './cel-type-check.ts';
import { type CelType, nameOf, objectOf, STRING } from './cel-types.ts';
import type { Schema } from './schema.ts';

const definitions = builtinDefinitions();
const deployment = celTypeOfKind(
  { kind: 'Deployment', schema: { $ref: 'io.k8s.api.apps.v1.Deployment' } },
  definitions,
);
const configMap = celTypeOfKind({ kind: 'ConfigMap', schema: { $ref: 'io.k8s.api.core.v1.ConfigMap' } }, definitions);

const variables = new Map([
  ['object', deployment],
  ['oldObject', deployment],
  ['params', configMap],
  ['variables', objectOf('Variables', { image: STRING })],
]);

test.each([
  { expression: 'object.spec.replicas > 1', type: 'bool' },
  { expression: 'object.spec.replicas + 1', type: 'int' },
  { expression: 'object.metadata.labels', type: 'map(string, string)' },
  { expression: 'object.spec.template.spec.containers', type: 'list(Deployment.spec.template.spec.containers.@idx)' },
  { expression: 'object.spec.template.spec.containers.map(c, c.image)', type: 'list(string)' },
  { expression: "object.spec.template.spec.containers.all(c, c.image.startsWith('x'))", type: 'bool' },
  { expression: "object.spec.template.spec.containers.filter(c, c.name == 'a')[0].image", type: 'string' },
  { expression: "has(object.metadata.labels) && 'a' in object.metadata.labels", type: 'bool' },
  { expression: 'oldObject == null || object.spec == oldObject.spec', type: 'bool' },
  { expression: "object.metadata.namespace + object.metadata['name']", type: 'string' },
  // An int or a string.
  { expression: "object.spec.strategy.rollingUpdate.maxSurge == '25%'", type: 'bool' },
  { expression: 'object.spec.strategy.rollingUpdate.maxSurge == 1', type: 'bool' },
  // A quantity.
  { expression: "quantity(object.spec.template.spec.containers[0].resources.limits['cpu'])", type: 'Quantity' },
  { expression: 'timestamp(object.metadata.creationTimestamp)', type: 'timestamp' },
  { expression: "int(params.data['max']) >= object.spec.replicas", type: 'bool' },
  { expression: "variables.image.contains('@')", type: 'bool' },
  { expression: 'object.?spec.?replicas.orValue(1) + 1', type: 'int' },
  { expression: "object.metadata.?labels[?'a'].orValue('')", type: 'string' },
  { expression: 'object.metadata.labels.?a.hasValue()', type: 'bool' },
  { expression: "authorizer.path('/x').check('get').allowed()", type: 'bool' },
  { expression: "authorizer.requestResource.check('get').reason()", type: 'string' },
  { expression: 'object.spec.replicas > 1 ? "many" : "one"', type: 'string' },
  { expression: 'cel.bind(n, object.spec.replicas, n * n)', type: 'int' },
  { expression: "sets.contains(['a'], object.metadata.finalizers)", type: 'bool' },
  { expression: 'type(object.spec.strategy.rollingUpdate.maxSurge) == int', type: 'bool' },
  { expression: "['a', 1].size() + size(object.metadata.labels)", type: 'int' },
  { expression: "object.metadata.name.matches('^a') || !object.spec.paused", type: 'bool' },
  { expression: "url('https://a').getHost() + string(ip('10.0.0.1'))", type: 'string' },
  {
    expression:
      "duration('1h') > duration('1m') && timestamp('2026-01-01T00:00:00Z') + duration('1h') > timestamp('2026-01-01T00:00:00Z')",
    type: 'bool',
  },
  { expression: "{'a': 1}.all(k, k == 'a')", type: 'bool' },
  { expression: 'dyn(object.spec.replicas) == "x"', type: 'bool' },
  { expression: "object.metadata.annotations.exists_one(k, k.startsWith('a/'))", type: 'bool' },
])('infers $type for $expression', ({ expression, type }) => {
  const checked = new TypedExpression(expression).check(variables);

  expect(checked.problem).toBe('');
  expect(nameOf(checked.type)).toBe(type);
});

const mark = (column: number) => `${'.'.repeat(column - 1)}^`;

test.each([
  {
    expression: "object.spec.replicas > '1'",
    column: 22,
    expectedMessage: "found no matching overload for '_>_' applied to '(int, string)'",
  },
  {
    expression: "'wants replicas > 1, got ' + object.spec.replicas",
    column: 28,
    expectedMessage: "found no matching overload for '_+_' applied to '(string, int)'",
  },
  { expression: 'object.replicas > 1', column: 7, expectedMessage: "undefined field 'replicas'" },
  { expression: 'has(object.spec.replica)', column: 4, expectedMessage: "undefined field 'replica'" },
  { expression: "object.spec['replica'] == 1", column: 12, expectedMessage: "undefined field 'replica'" },
  { expression: 'object.?spce.?replicas.hasValue()', column: 7, expectedMessage: "undefined field 'spce'" },
  { expression: 'variables.images', column: 10, expectedMessage: "undefined field 'images'" },
  {
    expression: "object.spec.replicas.startsWith('a')",
    column: 32,
    expectedMessage: "found no matching overload for 'startsWith' applied to 'int.(string)'",
  },
  {
    expression: 'object.spec.template.spec.containers.all(c, c.port == 1)',
    column: 46,
    expectedMessage: "undefined field 'port'",
  },
  {
    expression: 'object.spec.template.spec.containers.exists(c, c.image)',
    column: 48,
    expectedMessage: "expected type 'bool' but found 'string'",
  },
  {
    expression: "object.metadata.labels[1] == 'a'",
    column: 23,
    expectedMessage: "found no matching overload for '_[_]' applied to '(map(string, string), int)'",
  },
  {
    expression: 'object.metadata.name.first',
    column: 21,
    expectedMessage: "type 'string' does not support field selection",
  },
  {
    expression: 'object.spec.replicas.all(x, true)',
    column: 1,
    expectedMessage: "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  },
  {
    expression: 'object.spec.replicas == null',
    column: 22,
    expectedMessage: "found no matching overload for '_==_' applied to '(int, null)'",
  },
  {
    expression: "object.spec.replicas in ['1']",
    column: 22,
    expectedMessage: "found no matching overload for '@in' applied to '(int, list(string))'",
  },
  {
    expression: "object.spec.paused ? 'a' : 1",
    column: 20,
    expectedMessage: "found no matching overload for '_?_:_' applied to '(bool, string, int)'",
  },
  {
    expression: '!object.spec.replicas',
    column: 1,
    expectedMessage: "found no matching overload for '!_' applied to '(int)'",
  },
  {
    expression: 'object.spec.replicas && true',
    column: 22,
    expectedMessage: "found no matching overload for '_&&_' applied to '(int, bool)'",
  },
  {
    expression: 'size(object.spec.replicas)',
    column: 5,
    expectedMessage: "found no matching overload for 'size' applied to '(int)'",
  },
  { expression: 'objekt.spec', column: 1, expectedMessage: "undeclared reference to 'objekt' (in container '')" },
])('$expression: $expectedMessage', ({ expression, column, expectedMessage }) => {
  const { problem } = new TypedExpression(expression).check(variables);

  const [line] = expression.split('\n');
  expect(problem).toBe(`ERROR: <input>:1:${column}: ${expectedMessage}\n | ${line}\n | ${mark(column)}`);
});

test('reports all errors in order of position, each with its line', () => {
  const { problem } = new TypedExpression('object.a == 1\n  && object.b == 2').check(variables);

  expect(problem).toBe(
    [
      "ERROR: <input>:1:7: undefined field 'a'",
      ' | object.a == 1',
      ' | ......^',
      "ERROR: <input>:2:12: undefined field 'b'",
      ' |   && object.b == 2',
      ' | ...........^',
    ].join('\n'),
  );
});

test('reports only some of the errors if there are many, and only part of a long line', () => {
  const { problem } = new TypedExpression(
    Array.from({ length: 300 }, (_, n) => `object.x${n} == 1`).join(' && '),
  ).check(variables);

  expect(problem.split('\n')).toHaveLength(31);
  expect(problem.split('\n').at(-1)).toBe('and 290 more');
  expect(problem.length).toBeLessThan(5000);
});

test.each<{ reason: string; schema: Schema; custom: boolean; problem: string }>([
  {
    reason: 'a custom resource without such a field',
    schema: { type: 'object', properties: { spec: { type: 'object' } } },
    custom: true,
    problem: "undefined field 'anything'",
  },
  {
    reason: 'a custom resource that keeps unknown fields',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
    custom: true,
    problem: '',
  },
  {
    reason: 'a built-in kind without declared fields',
    schema: { type: 'object', properties: { spec: { type: 'object' } } },
    custom: false,
    problem: '',
  },
  {
    reason: 'a nullable value',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { anything: { type: 'string', nullable: true } } } },
    },
    custom: true,
    problem: '',
  },
])('$reason', ({ schema, custom, problem }) => {
  const object = celTypeOfKind({ kind: 'Widget', schema, custom }, new Map());

  const checked = new TypedExpression('object.spec.anything == null').check(new Map([['object', object]]));

  expect(checked.problem).toContain(problem);
  expect(checked.problem === '').toBe(problem === '');
});

test('terminates for recursive definitions', () => {
  const crd = celTypeOfKind(
    {
      kind: 'CustomResourceDefinition',
      schema: { $ref: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition' },
    },
    definitions,
  );
  const expression =
    "object.spec.versions.all(v, v.schema.openAPIV3Schema.properties['a'].properties['b'].type == 'string')";

  expect(new TypedExpression(expression).check(new Map([['object', crd]])).problem).toBe('');
});

const NESTINGS = Array.from({ length: 60 }, (_, number) => number);

test('limits the report for deeply nested values', () => {
  const types: Record<string, CelType> = {};
  const seen = new Map([['variables', objectOf('Variables', types)]]);
  for (const number of NESTINGS) {
    const previous = `variables.v${number - 1}`;
    const text = number === 0 ? '1' : `[{'a': ${previous}}, {'b': ${previous}}]`;
    types[`v${number}`] = new TypedExpression(text).check(seen).type;
  }

  const { problem } = new TypedExpression('variables.v59 == variables.v58 && variables.v57 == 1').check(seen);

  expect(problem).toMatch(
    /^ERROR: <input>:1:\d+: found no matching overload for '_==_' applied to '\(list\(map\(.*dyn\)+, int\)'/,
  );
  expect(Object.values(types).every((type) => nameOf(type).length < 1_000)).toBe(true);
});

const ROWS = { type: 'array', items: { type: 'object' } } as const;

test.each([
  { what: 'maps', grown: (name: string) => `{${name}: ${name}}` },
  { what: 'lists of maps', grown: (name: string) => `[{${name}: ${name}}]` },
  { what: 'maps of lists', grown: (name: string) => `{'a': [{${name}: ${name}}]}` },
])('rejects $what nested as keys immediately, in policies and in rules', ({ grown }) => {
  const bound = NESTINGS.slice(0, 40).reduceRight(
    (inner, number) => `cel.bind(v${number}, ${number === 0 ? '[1]' : grown(`v${number - 1}`)}, ${inner})`,
    'v39 == v39',
  );

  const { error } = compileExpression(bound, ['object']);
  const [rule] = compileRules({ ...ROWS, 'x-kubernetes-validations': [{ rule: bound }] });

  expect(error).toBe('unsupported key type: list(int)');
  expect(rule?.error).toBe('compilation failed: ERROR: unsupported key type: list(int)');
});
