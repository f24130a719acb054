import { ConfinedModule } from '@fairway/base/testing/confined-module';
import { afterAll, describe, expect, it } from 'vitest';
import type { HostileReply, HostileRequest } from '../../server/hostile-requests-fixture.ts';

/** Small requests that once crashed or blocked the process: each must get a response within bounded time and memory. */

const server = new ConfinedModule(new URL('../../server/hostile-requests-fixture.ts', import.meta.url));
afterAll(() => server.close());

function responseTo(request: HostileRequest): Promise<HostileReply> {
  return server.call('replyTo', request) as Promise<HostileReply>;
}

const PODS = '/api/v1/namespaces/default/pods';
const YAML = 'application/yaml';
const JSON_PATCH = 'application/json-patch+json';
const TOO_LARGE = { status: 413, reason: 'RequestEntityTooLarge' };
const BAD_REQUEST = { status: 400, reason: 'BadRequest' };

function create(body: string, contentType = 'application/json'): HostileRequest {
  return { method: 'POST', path: PODS, contentType, body };
}

function patch(body: string | object, contentType: string): HostileRequest {
  return {
    method: 'PATCH',
    path: `${PODS}/p`,
    contentType,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

function nested(levels: number, open: string, close: string): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** Lists of nine lists of nine lists…, each written once. */
function yamlAliases(levels: number): string {
  const lists = Array.from({ length: levels }, (_, level) => {
    const items = Array<string>(9).fill(level === 0 ? 'lol' : `*a${level - 1}`);
    return `  a${level}: &a${level} [${items.join(',')}]`;
  });
  return `metadata: {name: b}\nspec:\n${lists.join('\n')}`;
}

/** Field sets of eight field sets of eight…, each written once. */
function managedFieldsOfAliases(levels: number): string {
  const entries = Array.from({ length: levels }, (_, level) => {
    const fields = Array.from({ length: 8 }, (_, index) => `"f:k${index}": ${level === 0 ? '{}' : `*x${level - 1}`}`);
    const entry = `manager: m${level}, operation: Apply, apiVersion: v1, fieldsType: FieldsV1`;
    return `  - {${entry}, fieldsV1: &x${level} {${fields.join(', ')}}}`;
  });
  return `metadata:\n  name: m\n  managedFields:\n${entries.join('\n')}`;
}

const DEEPLY_NESTED = `{"metadata":{"name":"d"},"spec":${nested(20_000, '{"a":', '}')}}`;
const manyManagers = Array.from({ length: 101 }, (_, index) => ({
  manager: `m${index}`,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': {} },
}));

describe('hostile requests', () => {
  it.each<[string, HostileRequest, Partial<HostileReply>, RegExp]>([
    [
      'YAML aliases that expand',
      create(yamlAliases(9), YAML),
      TOO_LARGE,
      /more than 60000 fields and items \(at spec\.a\d/,
    ],
    [
      'YAML aliases that expand in managedFields',
      create(managedFieldsOfAliases(7), YAML),
      TOO_LARGE,
      /at metadata\.managedFields/,
    ],
    ['circular YAML aliases', create('metadata: {name: d}\nspec: &a {x: *a}', YAML), BAD_REQUEST, /deeper than 200/],
    [
      'many YAML aliases',
      create(`metadata: {name: d}\nspec:\n  a: &a 1\n  l: [${'*a,'.repeat(2000)}]`, YAML),
      BAD_REQUEST,
      /aliases exceeded maxAliases \(1000\)/,
    ],
    [
      'deeply nested YAML',
      create(`metadata: {name: d}\nspec: ${nested(20_000, '[', ']')}`, YAML),
      BAD_REQUEST,
      /maxDepth \(200\)/,
    ],
    [
      'a YAML number that JSON cannot represent',
      create('metadata: {name: d}\nspec: {a: [.inf]}', YAML),
      BAD_REQUEST,
      /value: Infinity/,
    ],
    [
      'an unknown YAML tag',
      create('metadata: {name: d}\nspec: !!js/function "x"', YAML),
      BAD_REQUEST,
      /unknown scalar tag/,
    ],
    [
      'a YAML error in a long line',
      create(`metadata: {name: "${'x'.repeat(100_000)}"\nspec: }{`, YAML),
      BAD_REQUEST,
      /^.{0,300}$/,
    ],
    [
      'too many fields',
      create(JSON.stringify({ metadata: { name: 'f' }, spec: { list: Array<number>(70_000).fill(1) } })),
      TOO_LARGE,
      /has more than 60000 fields and items \(at spec\.list\.\d+…\): divide it into several objects/,
    ],
    [
      'a patch with too many fields',
      patch({ spec: { list: Array<number>(70_000).fill(1) } }, 'application/merge-patch+json'),
      TOO_LARGE,
      /has more than 60000 fields and items/,
    ],
    ['deeply nested JSON', create(DEEPLY_NESTED), BAD_REQUEST, /deeper than 200 levels \(at spec\.a\.a\.a…\)/],
    [
      'a deeply nested merge patch',
      patch(DEEPLY_NESTED, 'application/merge-patch+json'),
      BAD_REQUEST,
      /deeper than 200 levels/,
    ],
    [
      'a deeply nested strategic patch',
      patch(DEEPLY_NESTED, 'application/strategic-merge-patch+json'),
      BAD_REQUEST,
      /deeper than 200 levels/,
    ],
    [
      'a deeply nested apply configuration',
      {
        ...patch(`{"apiVersion":"v1","kind":"Pod",${DEEPLY_NESTED.slice(1)}`, 'application/apply-patch+yaml'),
        path: `${PODS}/d?fieldManager=x`,
      },
      BAD_REQUEST,
      /deeper than 200 levels/,
    ],
    [
      'a JSON patch that nests existing fields too deeply',
      patch(
        Array.from({ length: 300 }, () => ({ op: 'move', from: '/spec', path: '/old' })).flatMap((move) => [
          move,
          { op: 'add', path: '/spec', value: {} },
          { op: 'move', from: '/old', path: '/spec/a' },
        ]),
        JSON_PATCH,
      ),
      BAD_REQUEST,
      /patch applied is nested deeper than 200 levels/,
    ],
    [
      'JSON patch copies that double in size',
      patch(
        Array.from({ length: 26 }, (_, index) => ({ op: 'copy', from: '/spec', path: `/spec/c${index}` })),
        JSON_PATCH,
      ),
      TOO_LARGE,
      /copies of a JSON patch may add 3145728 bytes/,
    ],
    [
      'a patch that makes an object too large',
      patch({ spec: { x: 'x'.repeat(2_100_000) } }, 'application/merge-patch+json'),
      TOO_LARGE,
      /Pod "p" would take 21\d+ bytes, the limit is 2097152: its largest part is spec\.x/,
    ],
    [
      'an object that is too large, in a dry run',
      {
        ...create(JSON.stringify({ metadata: { name: 'l' }, spec: { x: 'x'.repeat(2_100_000) } })),
        path: `${PODS}?dryRun=All`,
      },
      TOO_LARGE,
      /limit is 2097152/,
    ],
    [
      'more field managers than allowed',
      create(JSON.stringify({ metadata: { name: 'm', managedFields: manyManagers } })),
      { status: 422, reason: 'Invalid' },
      /metadata\.managedFields: Too many: 101: must have at most 100 items/,
    ],
    [
      'a thousand invalid labels',
      create(
        JSON.stringify({
          metadata: {
            name: 'l',
            labels: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`-${index}`, ''])),
          },
        }),
      ),
      { status: 422, reason: 'Invalid' },
      /, and 900 more errors\]$/,
    ],
    [
      'a name of 200,000 characters',
      create(JSON.stringify({ metadata: { name: `a${'-'.repeat(200_000)}!` } })),
      { status: 422, reason: 'Invalid' },
      /^.{0,3000}$/,
    ],
  ])('are handled: %s', async (_, request, expected, message) => {
    const reply = await responseTo(request);

    expect(reply).toMatchObject(expected);
    expect(reply.message).toMatch(message);
  });

  it('are stored with their YAML aliases expanded', async () => {
    const body = 'metadata: {name: y}\nspec:\n  a: &a {x: 1}\n  b: *a\n';
    expect(await responseTo(create(body, YAML))).toMatchObject({ status: 201 });
  });

  it('get an error that lists at most a hundred unknown fields', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, 1]));
    const reply = await responseTo({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps?fieldValidation=Strict',
      body: JSON.stringify({ metadata: { name: 'c' }, ...body }),
    });
    expect(reply.message).toMatch(/unknown field "f99", and 19900 more$/);
  });
});
