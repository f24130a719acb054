import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { validateStructuralSchema } from './structural-schema.ts';

function errorsOf(schema: Schema): string[] {
  return validateStructuralSchema(schema, 's').map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

const string: Schema = { type: 'string' };
const within = (property: object): Schema => ({ type: 'object', properties: { x: property } });
const range: Schema = {
  type: 'object',
  properties: { min: { type: 'integer', default: 1 }, max: { type: 'integer', default: 2 } },
  'x-kubernetes-validations': [{ rule: 'self.min < self.max', message: 'min below max' }],
};
const list = (extra: object, items: object = string): Schema => within({ type: 'array', items, ...extra });

describe('structural schemas', () => {
  it.each<[string, Schema]>([
    [
      'nested objects, lists and maps',
      within({
        type: 'object',
        properties: {
          a: string,
          b: { type: 'array', items: string },
          c: { type: 'object', additionalProperties: string },
        },
      }),
    ],
    ['objects with preserved unknown fields', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['ints or strings', within({ 'x-kubernetes-int-or-string': true })],
    [
      'ints or strings with explicit alternatives',
      within({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    ],
    [
      'embedded resources',
      within({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
    ],
    [
      'restrictions on names',
      {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { name: { ...string, maxLength: 3 } } } },
      },
    ],
    [
      'alternatives over known fields',
      within({
        type: 'object',
        properties: { a: string, b: string },
        oneOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minLength: 1 } } }],
      }),
    ],
    [
      'list maps',
      list(
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
        { type: 'object', properties: { k: string }, required: ['k'] },
      ),
    ],
    [
      'rules',
      within({ ...string, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }] }),
    ],
    ['defaults', within({ ...string, default: 'a' })],
  ])('%s pass', (_, schema) => {
    expect(errorsOf(schema)).toEqual([]);
  });

  it.each<[string, Schema, string]>([
    ['no type', within({}), 's.properties[x].type: Required value: must not be empty for specified object fields'],
    ['no type at the root', {}, 's.type: Required value: must not be empty at the root'],
    ['a root that is not an object', string, 's.type: Invalid value: "string": must be object at the root'],
    [
      'an unknown type',
      within({ type: 'date' }),
      's.properties[x].type: Unsupported value: "date": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
    ['a list without items', within({ type: 'array' }), 's.properties[x].items: Required value: must be specified'],
    [
      'items without a type',
      list({}, {}),
      's.properties[x].items.type: Required value: must not be empty for specified array items',
    ],
    [
      'both properties and additionalProperties',
      within({ type: 'object', properties: { a: string }, additionalProperties: string }),
      's.properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    ['references', within({ ...string, $ref: 'X' }), 's.properties[x].$ref: Forbidden: $ref is not supported'],
    [
      'uniqueItems, whose check is quadratic',
      list({ uniqueItems: true }),
      's.properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'types within alternatives',
      within({ ...string, anyOf: [{ type: 'string' }] }),
      's.properties[x].anyOf[0].type: Forbidden: must be undefined to be structural',
    ],
    [
      'fields that only an alternative declares',
      within({ type: 'object', properties: { a: string }, anyOf: [{ properties: { b: { minLength: 1 } } }] }),
      's.properties[x].properties[b]: Required value: because it is defined in s.properties[x].anyOf[0].properties[b]',
    ],
    [
      'metadata fields other than the name',
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      'a list type on another type',
      within({ ...string, 'x-kubernetes-list-type': 'set' }),
      's.properties[x].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
    [
      'a set of objects',
      list({ 'x-kubernetes-list-type': 'set' }, { type: 'object' }),
      's.properties[x].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
    [
      'list keys that may be missing',
      list(
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
        { type: 'object', properties: { k: string } },
      ),
      's.properties[x].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      'a default of the wrong type',
      within({ type: 'integer', default: 'a' }),
      's.properties[x].default: Invalid value: "string": s.properties[x].default in body must be of type integer: "string"',
    ],
    [
      'a default that violates a rule',
      within({ ...range, default: { min: 3, max: 2 } }),
      's.properties[x].default: Invalid value: min below max',
    ],
    [
      'a default without a field that a rule needs, although the field has a default',
      within({ ...range, default: {} }),
      's.properties[x].default: Invalid value: "object": no such key: min evaluating rule: min below max',
    ],
    [
      'a description of metadata',
      { type: 'object', properties: { metadata: { type: 'object', description: 'ours' } } },
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      'an invalid pattern',
      within({ ...string, pattern: '(' }),
      's.properties[x].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
    [
      'a nullable root',
      { type: 'object', nullable: true },
      's.nullable: Forbidden: nullable cannot be true at the root',
    ],
  ])('%s', (_, schema, expected) => {
    expect(errorsOf(schema)).toEqual([expected]);
  });

  it.each<[object, string]>([
    [{ rule: 'self >' }, '.rule: Invalid value'],
    [{ rule: 'size(self)' }, 'must evaluate to a bool'],
    [{ rule: 'unknown(self)' }, "found no matching overload for 'unknown(string)'"],
    [{ rule: 'self.nothing() == 1' }, 'found no matching overload'],
    [{ rule: ' ' }, '.rule: Required value: rule is not specified'],
    [{ rule: 'self != ""', reason: 'Bad' }, '.reason: Unsupported value: "Bad"'],
    [{ rule: 'self != ""', message: 'a\nb' }, '.message: Invalid value: "a\\nb": must not contain line breaks'],
    [{ rule: 'self != ""', messageExpression: '1' }, 'must evaluate to a string'],
    [{ rule: 'self != ""', optionalOldSelf: true }, 'may not be set if oldSelf is not used in rule'],
  ])('rejects the rule %j', (rule, message) => {
    const errors = errorsOf(within({ ...string, 'x-kubernetes-validations': [rule] }));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(message);
  });
});
