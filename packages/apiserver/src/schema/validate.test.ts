import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { describe, expect, it } from 'vitest';
import type { Schema, ValidationRule } from './schema.ts';
import { validateObject } from './validate.ts';

function errorsOf(property: Schema, value: unknown, old?: unknown): string[] {
  const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x: property } } } };
  const object = (x: unknown) => ({ apiVersion: 'a/v1', kind: 'K', metadata: { name: 'n' }, spec: { x } });
  const errors = validateObject(object(value), old === undefined ? undefined : object(old), schema, new Map());
  return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };

describe('values', () => {
  it.each<[string, Schema, unknown, string | undefined]>([
    ['type', integer, 'a', 'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    [
      'fraction for an integer',
      integer,
      1.5,
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
    ['whole number for a number', { type: 'number' }, 1, undefined],
    ['null', string, null, 'spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    ['nullable', { ...string, nullable: true }, null, undefined],
    ['int or string, int', { 'x-kubernetes-int-or-string': true }, 1, undefined],
    ['int or string, string', { 'x-kubernetes-int-or-string': true }, '1', undefined],
    [
      'int or string, bool',
      { 'x-kubernetes-int-or-string': true },
      true,
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
    ],
    [
      'minimum',
      { ...integer, minimum: 0 },
      -1,
      'spec.x: Invalid value: -1: spec.x in body should be greater than or equal to 0',
    ],
    [
      'exclusive minimum',
      { ...integer, minimum: 0, exclusiveMinimum: true },
      0,
      'spec.x: Invalid value: 0: spec.x in body should be greater than 0',
    ],
    [
      'maximum',
      { ...integer, maximum: 5 },
      6,
      'spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5',
    ],
    [
      'exclusive maximum',
      { ...integer, maximum: 5, exclusiveMaximum: true },
      5,
      'spec.x: Invalid value: 5: spec.x in body should be less than 5',
    ],
    [
      'multiple',
      { ...integer, multipleOf: 2 },
      3,
      'spec.x: Invalid value: 3: spec.x in body should be a multiple of 2',
    ],
    ['maxLength', { ...string, maxLength: 1 }, 'ab', 'spec.x: Too long: may not be more than 1 byte'],
    ['maxLength in characters', { ...string, maxLength: 1 }, '\u{1f600}', undefined],
    [
      'minLength',
      { ...string, minLength: 1 },
      '',
      'spec.x: Invalid value: "": spec.x in body should be at least 1 chars long',
    ],
    [
      'pattern',
      { ...string, pattern: '^a+$' },
      'b',
      'spec.x: Invalid value: "b": spec.x in body should match \'^a+$\'',
    ],
    ['pattern with Go flags', { ...string, pattern: '(?i)^a\\z' }, 'A', undefined],
    [
      'format',
      { ...string, format: 'date-time' },
      'now',
      'spec.x: Invalid value: "now": spec.x in body must be of type date-time: "now"',
    ],
    ['unknown format', { ...string, format: 'colour' }, 'now', undefined],
    ['enum', { ...string, enum: ['a', 'b'] }, 'c', 'spec.x: Unsupported value: "c": supported values: "a", "b"'],
    [
      'maxItems',
      { type: 'array', items: integer, maxItems: 1 },
      [1, 2],
      'spec.x: Too many: 2: must have at most 1 item',
    ],
    [
      'minItems',
      { type: 'array', items: integer, minItems: 1 },
      [],
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 items',
    ],
    [
      'maxProperties',
      { type: 'object', additionalProperties: integer, maxProperties: 1 },
      { a: 1, b: 2 },
      'spec.x: Too many: 2: must have at most 1 item',
    ],
    [
      'minProperties',
      { type: 'object', additionalProperties: integer, minProperties: 1 },
      {},
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 properties',
    ],
    ['required', { type: 'object', properties: { a: string }, required: ['a'] }, {}, 'spec.x.a: Required value'],
    [
      'items',
      { type: 'array', items: integer },
      [1, 'a'],
      'spec.x[1]: Invalid value: "string": spec.x[1] in body must be of type integer: "string"',
    ],
    [
      'map values',
      { type: 'object', additionalProperties: integer },
      { a: 'b' },
      'spec.x.a: Invalid value: "string": spec.x.a in body must be of type integer: "string"',
    ],
    [
      'set',
      { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a', 'a'],
      'spec.x[2]: Duplicate value: "a"',
    ],
    [
      'list map',
      {
        type: 'array',
        items: { type: 'object', properties: { k: { ...string, default: 'd' }, v: string } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [{ k: 'd', v: '1' }, { v: '2' }],
      'spec.x[1]: Duplicate value: {"k":"d"}',
    ],
    [
      'embedded',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      { apiVersion: 'v1' },
      'spec.x.kind: Required value',
    ],
    [
      'not',
      { ...string, not: { enum: ['a'] } },
      'a',
      'spec.x: Invalid value: "": "spec.x" must not validate the schema (not)',
    ],
    [
      'oneOf with two matches',
      { type: 'object', properties: { a: string, b: string }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: '', b: '' },
      'spec.x: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(errorsOf(schema, value)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('reports the errors of the best matching alternative', () => {
    const schema: Schema = { ...integer, anyOf: [{ minimum: 10, multipleOf: 7 }, { minimum: 5 }] };
    expect(errorsOf(schema, 1)).toEqual([
      'spec.x: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
      'spec.x: Invalid value: 1: spec.x in body should be greater than or equal to 5',
    ]);
    expect(errorsOf(schema, 6)).toEqual([]);
  });

  it('checks standard metadata, and the name as restricted by a definition', () => {
    const schema: Schema = {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { ...string, maxLength: 3 } } } },
    };
    const metadata = { name: 'long', labels: { a: 1 } };
    const errors = validateObject({ metadata }, undefined, schema, new Map());
    expect(errors.map((error) => error.field)).toEqual(['metadata.labels.a', 'metadata.name']);
  });
});

function withRule(schema: Schema, ...rules: ValidationRule[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules };
}

describe('CEL rules', () => {
  it.each<[string, Schema, unknown, string]>([
    [
      'a list of integers',
      { type: 'array', items: integer },
      [1, 2, 3],
      'self.sum() == 6 && self.isSorted() && self.max() == 3 && self.indexOf(2) == 1',
    ],
    [
      'a string',
      string,
      'a-b',
      'self.split("-").size() == 2 && self.replace("-", "") == "ab" && self.upperAscii() == "A-B"',
    ],
    ['regular expressions', string, 'a1b22', 'self.find("[0-9]+") == "1" && self.findAll("[0-9]+") == ["1", "22"]'],
    [
      'a URL',
      string,
      'https://a.b:8443/c?d=1',
      'url(self).getHostname() == "a.b" && url(self).getPort() == "8443" && isURL(self)',
    ],
    [
      'an address',
      string,
      '10.0.0.1',
      'isIP(self) && ip(self).family() == 4 && cidr("10.0.0.0/8").containsIP(ip(self))',
    ],
    ['IPv6', string, 'fe80::1', 'ip(self).isLinkLocalUnicast() && !isCIDR(self) && ip.isCanonical(self)'],
    ['a network', string, '10.2.0.0/16', 'cidr("10.0.0.0/8").containsCIDR(self) && cidr(self).prefixLength() == 16'],
    [
      'a quantity',
      string,
      '1Gi',
      'isQuantity(self) && quantity(self).isGreaterThan(quantity("1G")) && quantity(self).add(1).compareTo(quantity(self)) == 1',
    ],
    [
      'sets',
      { type: 'array', items: string },
      ['a', 'b'],
      'sets.contains(["c", "b", "a"], self) && !sets.intersects(self, ["x"])',
    ],
    ['a date', { ...string, format: 'date-time' }, '2026-01-01T00:00:00Z', 'self < timestamp("2027-01-01T00:00:00Z")'],
    ['a duration', { ...string, format: 'duration' }, '90m', 'self > duration("1h")'],
    ['int or string', { 'x-kubernetes-int-or-string': true }, 5, 'type(self) == int && self > 4'],
    ['arithmetic on whole numbers', integer, 7, 'self / 2 == 3 && self % 2 == 1'],
    ['numbers', { type: 'number' }, 7, 'self / 2.0 == 3.5'],
    [
      'names that must be escaped in CEL',
      { type: 'object', properties: { 'a-b': integer, namespace: string } },
      { 'a-b': 1, namespace: 'n' },
      'self.a__dash__b == 1 && self.__namespace__ == "n"',
    ],
    [
      'missing fields',
      { type: 'object', properties: { a: string } },
      {},
      '!has(self.a) && self.?a.orValue("d") == "d"',
    ],
    [
      'fields of items',
      { type: 'array', items: { type: 'object', properties: { a: string } } },
      [{ a: 'has(x)' }, {}],
      'has(self[0].a) && !has(self[1].a) && self[0].a == "has(x)"',
    ],
    [
      'formats',
      string,
      'a-b',
      '!format.dns1123Label().validate(self).hasValue() && format.named("dns1035Label").value().validate("1").hasValue()',
    ],
    [
      'maps',
      { type: 'object', additionalProperties: integer },
      { 'a-b': 1 },
      'self["a-b"] == 1 && self.all(k, k.startsWith("a"))',
    ],
  ])('%s', (_, schema, value, rule) => {
    expect(errorsOf(withRule(schema, { rule }), value)).toEqual([]);
    expect(errorsOf(withRule(schema, { rule: `!(${rule})` }), value)).toHaveLength(1);
  });

  it.each<[string, Schema, unknown, string]>([
    [
      'the rule if there is no message',
      withRule(integer, { rule: 'self > 1' }),
      1,
      'spec.x: Invalid value: 1: failed rule: self > 1',
    ],
    [
      'the message',
      withRule(integer, { rule: 'self > 1', message: 'too small' }),
      1,
      'spec.x: Invalid value: 1: too small',
    ],
    [
      'the message expression',
      withRule(integer, { rule: 'self > 1', messageExpression: '"got " + string(self)' }),
      1,
      'spec.x: Invalid value: 1: got 1',
    ],
    [
      'the message if its expression fails',
      withRule(integer, { rule: 'self > 1', message: 'm', messageExpression: 'string(1 / 0)' }),
      1,
      'spec.x: Invalid value: 1: m',
    ],
    [
      'the reason',
      withRule(integer, { rule: 'self > 1', message: 'm', reason: 'FieldValueForbidden' }),
      1,
      'spec.x: Forbidden: m',
    ],
    [
      'the path of a field, and no value for objects',
      withRule({ type: 'object', properties: { a: integer } }, { rule: 'self.a > 1', message: 'm', fieldPath: '.a' }),
      { a: 1 },
      'spec.x.a: Invalid value: m',
    ],
    [
      'an evaluation error',
      withRule({ type: 'object', properties: { a: integer } }, { rule: 'self.a > 1' }),
      {},
      'spec.x: Invalid value: "object": no such key: a evaluating rule: self.a > 1',
    ],
    [
      'a compilation error',
      withRule(integer, { rule: 'self > "a"' }),
      1,
      'spec.x: Invalid value: "integer": rule compile error: compilation failed: ERROR: no such overload: int > string',
    ],
    [
      'the key of a map value',
      { type: 'object', additionalProperties: withRule(integer, { rule: 'self > 1', message: 'm' }) },
      { k: 1 },
      'spec.x[k]: Invalid value: 1: m',
    ],
  ])('fail with %s', (_, schema, value, expected) => {
    expect(errorsOf(schema, value)).toEqual([expected]);
  });

  const immutable = withRule(string, { rule: 'self == oldSelf', message: 'is immutable' });
  it.each<[string, Schema, unknown, unknown, string[]]>([
    ['do not apply on create', immutable, 'a', undefined, []],
    ['allow an update without changes', immutable, 'a', 'a', []],
    ['apply on update', immutable, 'b', 'a', ['spec.x: Invalid value: "b": is immutable']],
    ['do not apply to new fields', { type: 'object', properties: { a: immutable } }, { a: '1' }, {}, []],
    [
      'apply to fields',
      { type: 'object', properties: { a: immutable } },
      { a: '1' },
      { a: '2' },
      ['spec.x.a: Invalid value: "1": is immutable'],
    ],
    [
      'apply to items of a list map, matched by key',
      {
        type: 'array',
        items: { type: 'object', properties: { k: string, v: immutable } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [
        { k: 'b', v: '1' },
        { k: 'a', v: '2' },
      ],
      [{ k: 'a', v: '1' }],
      ['spec.x[1].v: Invalid value: "2": is immutable'],
    ],
    ['never apply to items of other lists', { type: 'array', items: immutable }, ['b'], ['a'], []],
    [
      'apply on create with an optional oldSelf',
      withRule(integer, { rule: 'oldSelf.hasValue() || self == 0', optionalOldSelf: true, message: 'm' }),
      1,
      undefined,
      ['spec.x: Invalid value: 1: m'],
    ],
    [
      'apply on update with an optional oldSelf',
      withRule(integer, { rule: 'self >= oldSelf.orValue(self)', optionalOldSelf: true, message: 'm' }),
      1,
      2,
      ['spec.x: Invalid value: 1: m'],
    ],
  ])('using oldSelf %s', (_, schema, value, old, expected) => {
    expect(errorsOf(schema, value, old)).toEqual(expected);
  });

  it('are not run on a value that is already invalid', () => {
    const schema: Schema = withRule(
      { type: 'object', properties: { a: integer }, required: ['a'] },
      { rule: 'self.a > 1' },
    );
    expect(errorsOf(schema, {})).toEqual([
      'spec.x.a: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('see only the name of an object in its metadata if they are at the root', () => {
    const schema = withRule(
      { type: 'object' },
      { rule: 'self.metadata.name == "a" && !has(self.metadata.labels)', message: 'm' },
    );
    const object = (name: string) => ({ apiVersion: 'x/v1', kind: 'X', metadata: { name, labels: { a: '1' } } });
    expect(validateObject(object('a'), undefined, schema, new Map())).toEqual([]);
    expect(validateObject(object('b'), undefined, schema, new Map())).toMatchObject([{ field: '<nil>', detail: 'm' }]);
  });
});

describe('ratcheting of stored values', () => {
  const small: Schema = { type: 'integer', maximum: 3 };
  const schemaWithRules: Schema = {
    type: 'object',
    properties: { a: integer, b: integer },
    'x-kubernetes-validations': [{ rule: 'self.a <= self.b', message: 'm' }],
  };
  const keyed: Schema = {
    type: 'array',
    items: { type: 'object', properties: { k: string, v: small } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  };

  function ratchetingErrors(spec: Schema, value: object, old: object): string[] {
    const object = (content: object) => ({ apiVersion: 'a/v1', kind: 'K', metadata: { name: 'n' }, spec: content });
    const schema: Schema = { type: 'object', properties: { spec } };
    const options = { isRatcheting: true };
    return validateObject(object(value), object(old), schema, new Map(), options).map(({ field }) => field);
  }

  const fields = (properties: Record<string, Schema>, rest: Partial<Schema> = {}): Schema => ({
    type: 'object',
    properties,
    ...rest,
  });

  it.each<[string, Schema, object, object, string[]]>([
    ['an unchanged value', fields({ x: small, y: integer }), { x: 9, y: 2 }, { x: 9, y: 1 }, []],
    ['no value that changes', fields({ x: small }), { x: 8 }, { x: 9 }, ['spec.x']],
    ['no new value', fields({ x: small }), { x: 8 }, {}, ['spec.x']],
    [
      'an unchanged object without a required field',
      fields({ x: fields({}, { required: ['a'] }), y: integer }),
      { x: {}, y: 2 },
      { x: {} },
      [],
    ],
    [
      'an unchanged item of a list map',
      fields({ x: keyed }),
      { x: [{ k: 'n' }, { k: 'a', v: 9 }] },
      { x: [{ k: 'a', v: 9 }] },
      [],
    ],
    [
      'no item of another list',
      fields({ x: { type: 'array', items: small } }),
      { x: [9, 1] },
      { x: [9] },
      ['spec.x[0]'],
    ],
    [
      'an unchanged object that violates a rule',
      fields({ x: schemaWithRules, y: integer }),
      { x: { a: 2, b: 1 }, y: 2 },
      { x: { a: 2, b: 1 } },
      [],
    ],
    [
      'no changed object that violates a rule',
      fields({ x: schemaWithRules }),
      { x: { a: 3, b: 1 } },
      { x: { a: 2, b: 1 } },
      ['spec.x'],
    ],
    [
      'no violation of a transition rule',
      fields({ x: withRule(integer, { rule: 'self > oldSelf', message: 'm' }) }),
      { x: 1 },
      { x: 1 },
      ['spec.x'],
    ],
  ])('accepts %s', (_, schema, value, old, expected) => {
    expect(ratchetingErrors(schema, value, old)).toEqual(expected);
  });
});
