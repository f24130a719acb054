import { ApiError } from '@fairway/kube/object/api-error';
import { parseFieldSelector } from '@fairway/kube/object/field-selector';
import { measureJson } from '@fairway/kube/object/json-bounds';
import type { Json } from '@fairway/kube/object/meta';
import { compileJsonPath, JsonPathError } from '@fairway/kube/object/path';
import { formatQuantity, parseQuantity, QuantityError } from '@fairway/kube/object/quantity';
import { formatLabelMatcher, matchesLabels, parseLabelSelector } from '@fairway/kube/object/selector';
import * as fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { applyPatch } from '../patch/apply.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { decodeProtobuf, ProtobufError } from '../protobuf/decode-protobuf.ts';
import { validateRules } from '../schema/cel-rules.ts';
import { compilePattern, PatternError } from '../schema/pattern.ts';
import type { Schema } from '../schema/schema.ts';
import type { BodyRequest } from './body-request.ts';
import { parseJson, parseYaml } from './parse-body.ts';
import { TestServer } from './test-server.ts';

/**
 * One property for each decoder: whatever it is given, it gives a value within the bounds or says that the client is wrong. Texts are made of what
 * the decoder knows, so that most of them get past its first line.
 */

type Runs = fc.Parameters<unknown>;

const BOUNDS = { maxDepth: 200, maxChars: 3 * 1024 * 1024 };
const NO_DEFINITIONS = new Map<string, Schema>();

function check<T>(arbitrary: fc.Arbitrary<T>, parameters: Runs, test: (value: T) => void): number {
  fc.assert(fc.property(arbitrary, test), parameters as fc.Parameters<[T]>);
  return parameters.numRuns ?? 0;
}

/** Texts of pieces, some of them repeated. */
function textOf(pieces: readonly string[], maxLength = 30): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 400 }))
        .map(([text, times]) => text.repeat(times)),
    },
  );
  return fc.array(piece, { maxLength }).map((parts) => parts.join(''));
}

/** Runs what may only fail by one of these errors; undefined when it did. */
function orRefused<T>(run: () => T, ...errors: (new (...args: never[]) => Error)[]): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.code >= 400 && error.code < 500) return undefined;
    if (errors.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

function expectBounded(value: unknown): void {
  if (value === undefined) return;
  const found = measureJson(value, BOUNDS);
  if (typeof found !== 'number') throw new Error(`too much ${found.kind} at ${found.path}`);
  // What shares parts or is no JSON would not come back the same.
  JSON.parse(JSON.stringify(value));
}

function bodyRequest(query: string): BodyRequest {
  return {
    body: '',
    headers: {},
    query: new URLSearchParams(query),
    namespace: '',
    name: '',
    verb: 'create',
    warn: () => undefined,
    resource: { group: '', version: 'v1', kind: 'Pod' },
  };
}

const VALIDATION = fc.constantFrom('', 'fieldValidation=Strict', 'fieldValidation=Ignore');

const YAML_PIECES = [
  '\n',
  '\n  ',
  '\n- ',
  'a: ',
  'b:',
  '- ',
  '? ',
  '&a ',
  '*a',
  '<<: ',
  '!!str ',
  '!x ',
  '{',
  '}',
  '[',
  ']',
  ',',
];
const YAML_SCALARS = [
  "'",
  '"',
  '\\',
  '|\n',
  '>-\n',
  '---\n',
  '...',
  '%YAML 1.2\n',
  '#',
  '1',
  '.inf',
  '0x1f',
  'null',
  '~',
  '\t',
  '"__proto__": ',
];

export function yaml(parameters: Runs): number {
  const text = textOf([...YAML_PIECES, ...YAML_SCALARS]);
  return check(fc.tuple(text, VALIDATION), parameters, ([body, query]) =>
    expectBounded(orRefused(() => parseYaml(bodyRequest(query), body))),
  );
}

const JSON_PIECES = [
  '{"a":',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"a":',
  '"a"',
  '1',
  '-1e9',
  'null',
  '"\\u0000"',
  '"__proto__":',
  ' ',
  '1e999',
];

export function json(parameters: Runs): number {
  const text = fc.oneof(textOf(JSON_PIECES), fc.json());
  return check(fc.tuple(text, VALIDATION), parameters, ([body, query]) =>
    expectBounded(orRefused(() => parseJson(bodyRequest(query), body))),
  );
}

const LIST: Schema = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, l: { type: 'array', items: { type: 'string' } } } },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
};
const KIND: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        l: LIST,
        s: {
          type: 'array',
          items: { type: 'string' },
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        m: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

const name = fc.constantFrom('a', 'b', 'spec', 'l', 's', 'm', 'name', '__proto__', '$patch', '$retainKeys');
const directive = fc.constantFrom('$setElementOrder/l', '$deleteFromPrimitiveList/s', '$setElementOrder/s');
const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 'a', 'b', 'merge', 'replace', 'delete'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof({ weight: 5, arbitrary: name }, directive), tie('value'), { maxKeys: 4 }),
  ),
}));

function objectOf(spec: Json, managedFields?: Json) {
  const metadata = { name: 'x', ...(managedFields !== undefined && { managedFields }) };
  return { apiVersion: 'v1', kind: 'Pool', metadata, spec } as unknown as {
    apiVersion: string;
    kind: string;
    metadata: object;
  };
}

export function jsonPatch(parameters: Runs): number {
  const path = fc
    .array(fc.oneof(name, fc.constantFrom('0', '1', '-', '~0', '~1', '01')), { maxLength: 5 })
    .map((tokens) => tokens.map((token) => `/${token}`).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test');
  const operation = fc.record({ op, path, from: path, value: anyJson }, { requiredKeys: ['op'] });
  const patch = fc.oneof({ weight: 9, arbitrary: fc.array(operation, { maxLength: 20 }) }, anyJson);
  return check(fc.tuple(anyJson, patch), parameters, ([target, operations]) =>
    expectBounded(orRefused(() => applyJsonPatch(target, operations))),
  );
}

export function mergePatch(parameters: Runs): number {
  return check(fc.tuple(anyJson, anyJson), parameters, ([target, patch]) =>
    expectBounded(orRefused(() => applyMergePatch(target, patch))),
  );
}

export function strategicPatch(parameters: Runs): number {
  const merge = { schema: KIND, definitions: NO_DEFINITIONS };
  return check(fc.tuple(anyJson, anyJson), parameters, ([target, patch]) =>
    expectBounded(orRefused(() => applyStrategicMergePatch(merge, objectOf(target), { spec: patch }))),
  );
}

const fieldSet = textOf(
  ['{"f:a":{', '"k:{\\"name\\":\\"a\\"}":{', '"v:1":{', '"i:0":{', '".":{', '"k:x":{', '}', ',', '{}'],
  12,
);
const managedFields = fieldSet.map((text) => {
  try {
    const fieldsV1 = JSON.parse(`{"f:spec":${text}}`) as Json;
    return [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  } catch {
    return [{ manager: 'm', operation: text }];
  }
});

export function applied(parameters: Runs): number {
  return check(fc.tuple(anyJson, anyJson, managedFields, fc.boolean()), parameters, ([live, spec, managed, force]) =>
    expectBounded(
      orRefused(() =>
        applyPatch({
          schema: KIND,
          definitions: NO_DEFINITIONS,
          live: objectOf(live, managed),
          applied: objectOf(spec),
          manager: 'n',
          force,
          apiVersion: 'v1',
          subresource: '',
          nowMs: 0,
        }),
      ),
    ),
  );
}

/** Pods by their fields' numbers, with bytes changed, cut or put in. */
export function protobufBody(parameters: Runs): number {
  const field = (number: number, bytes: Uint8Array) =>
    protobuf.Writer.create()
      .uint32((number << 3) | 2)
      .bytes(bytes)
      .finish();
  const { bytes: message } = fc.letrec<{ bytes: Uint8Array }>((tie) => ({
    bytes: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.uint8Array({ maxLength: 12 }),
      fc
        .array(fc.tuple(fc.integer({ min: 1, max: 40 }), tie('bytes')), { maxLength: 5 })
        .map((fields) => Buffer.concat(fields.map(([number, bytes]) => field(number, bytes)))),
    ),
  }));
  const kind = fc.constantFrom(
    ['v1', 'Pod'],
    ['v1', 'Secret'],
    ['apps/v1', 'ControllerRevision'],
    ['v1', 'DeleteOptions'],
  );
  const body = fc.tuple(kind, message).map(([[apiVersion = '', kindName = ''], object]) => {
    const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kindName))]);
    return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, object)]);
  });
  const spoiled = fc
    .tuple(body, fc.nat(), fc.uint8Array({ maxLength: 4 }))
    .map(([bytes, at, put]) =>
      Buffer.concat([bytes.subarray(0, at % (bytes.length + 1)), put, bytes.subarray(at % 97)]),
    );
  return check(fc.oneof(body, spoiled), parameters, (bytes) =>
    expectBounded(orRefused(() => decodeProtobuf(bytes), ProtobufError)),
  );
}

export function selectors(parameters: Runs): number {
  const text = textOf([
    'a',
    'b.c/d',
    '=',
    '==',
    '!=',
    '!',
    ',',
    ' in ',
    ' notin ',
    '(',
    ')',
    '>',
    '<',
    ' ',
    '1',
    '\\',
    '\\,',
    '\\=',
  ]);
  return check(text, parameters, (selector) => {
    const matcher = orRefused(() => parseLabelSelector(selector));
    if (matcher !== undefined) {
      matchesLabels(matcher, { a: '1', 'b.c/d': 'b' });
      parseLabelSelector(formatLabelMatcher(matcher));
    }
    orRefused(() => parseFieldSelector(selector));
  });
}

export function quantities(parameters: Runs): number {
  const text = textOf(['1', '0', '.', '-', '+', 'e', 'E', 'Ki', 'm', 'n', '9'], 12);
  return check(text, parameters, (quantity) => {
    const parsed = orRefused(() => parseQuantity(quantity), QuantityError);
    if (parsed === undefined) return;
    const formatted = formatQuantity(parsed);
    // Up to 400 places are added by an exponent.
    if (formatted.length > 600) throw new Error(`${formatted.length} characters`);
  });
}

export function jsonPaths(parameters: Runs): number {
  const text = textOf([
    '.a',
    '[0]',
    '[*]',
    "['a']",
    '[?(@.a=="b")]',
    '{',
    '}',
    '$',
    '.',
    '\\.',
    '[?(',
    '@',
    ')]',
    '"',
    '<=',
  ]);
  return check(text, parameters, (path) => {
    orRefused(() => compileJsonPath(path), JsonPathError)?.({ a: [{ a: 'b' }, { a: [1] }] });
  });
}

export function patterns(parameters: Runs): number {
  const text = textOf([
    'a',
    'b',
    '.',
    '*',
    '+',
    '?',
    '(',
    ')',
    '|',
    '[a-c]',
    '[^',
    ']',
    '{2,5}',
    '{900}',
    '\\pL',
    '\\b',
    '^',
    '$',
    '(?i)',
  ]);
  const value = textOf(['a', 'b', 'ab', ' ']);
  return check(fc.tuple(text, value), parameters, ([pattern, subject]) => {
    const compiled = orRefused(() => compilePattern(pattern), PatternError);
    if (compiled === undefined) return;
    const isMatch = compiled.test(subject);
    if (isMatch !== compiled.findAll(subject, 1).length > 0) throw new Error('test and findAll differ');
  });
}

const CEL_VALUES = [
  'self',
  'self.a',
  'self.l',
  'x',
  '1',
  '-1',
  '1.5',
  '"a"',
  "'(a+)+'",
  'true',
  'null',
  '[1, 2]',
  '{"a": 1}',
  'oldSelf',
];
const CEL_OPERATORS = [
  ' + ',
  ' == ',
  ' in ',
  ' && ',
  ' || ',
  ' ? ',
  ' : ',
  '!',
  ' < ',
  ' % ',
  ',',
  '(',
  ')',
  '[',
  ']',
  '.',
];
const CEL_CALLS = [
  '.all(x, ',
  '.map(x, ',
  '.exists(x, ',
  'has(',
  'size(',
  '.matches(',
  '.replace("a", ',
  '.join()',
  '.split("")',
];
const CEL_LIBRARIES = [
  'duration(',
  'quantity(',
  'ip(',
  'cidr(',
  'url(',
  'sets.contains(',
  'cel.bind(x, ',
  '.findAll(',
  '.indexOf(',
];

export function cel(parameters: Runs): number {
  const text = textOf([...CEL_VALUES, ...CEL_OPERATORS, ...CEL_CALLS, ...CEL_LIBRARIES], 16);
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(...CEL_VALUES),
      fc
        .tuple(tie('expression'), fc.constantFrom(' + ', ' == ', ' && ', ' || ', ' in ', ' < '), tie('expression'))
        .map(([left, operator, right]) => `(${left}${operator}${right})`),
      fc.tuple(tie('expression'), tie('expression')).map(([list, step]) => `${list}.all(x, ${step})`),
      fc.tuple(tie('expression'), tie('expression')).map(([list, step]) => `${list}.map(x, ${step})`),
      fc.tuple(tie('expression'), tie('expression')).map(([left, right]) => `${left}.matches(string(${right}))`),
      tie('expression').map((value) => `size(${value}) > 0`),
    ),
  }));
  return check(fc.tuple(fc.oneof(text, expression), anyJson), parameters, ([rule, value]) => {
    const schema: Schema = {
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [{ rule, messageExpression: rule }],
    };
    const errors = validateRules(value, undefined, schema, NO_DEFINITIONS, 'x');
    if (errors.length > 1) throw new Error(`${errors.length} errors of one rule`);
  });
}

const CONTENT_TYPES = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/x',
];

/** Whole requests: none is an error of the server. */
export async function requests(parameters: Runs): Promise<number> {
  const server = new TestServer();
  await server.namespace();
  await server.call('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { l: [1] } });
  const object = fc
    .tuple(anyJson, anyJson)
    .map(([metadata, spec]) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
  const fields = fc.record({
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET'),
    path: fc.constantFrom('pods', 'pods/p', 'pods/q', 'configmaps', 'configmaps/p', 'pods/p/status'),
    query: textOf([
      'a',
      '=',
      '&',
      'continue=',
      'limit=1',
      'labelSelector=',
      'fieldSelector=',
      'fieldManager=x',
      'force=true',
      '%5B',
    ]),
    token: fc.oneof(
      fc.constant(''),
      textOf(JSON_PIECES).map((text) => Buffer.from(text).toString('base64url')),
    ),
    type: fc.constantFrom(...CONTENT_TYPES),
    body: fc.oneof(object, textOf(JSON_PIECES), textOf(YAML_PIECES)),
    accept: textOf(['application/json', '*/*', ';', 'as=Table', 'g=meta.k8s.io', 'v=v1', ',', 'q=0.5']),
  });
  await fc.assert(
    fc.asyncProperty(fields, async ({ method, path, query, token, type, body, accept }) => {
      const url = `/api/v1/namespaces/default/${path}?${query}${token === '' ? '' : `&continue=${token}`}`;
      const headers = { 'content-type': type, ...(accept !== '' && { accept }) };
      const { status } = await server.send(method, url, body, headers);
      if (status >= 500) throw new Error(`${status} for ${method} ${url}`);
    }),
    parameters as fc.Parameters<[never]> as never,
  );
  return parameters.numRuns ?? 0;
}
