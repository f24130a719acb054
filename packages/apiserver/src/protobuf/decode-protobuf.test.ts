import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf, ProtobufError } from './decode-protobuf.ts';

/** A message from field numbers: strings and messages are length-delimited, numbers varints. */
function message(...fields: readonly (readonly [number, string | number | Uint8Array])[]): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [field, value] of fields) {
    if (typeof value === 'number') writer.uint32(field << 3).int64(value);
    else if (typeof value === 'string') writer.uint32((field << 3) | 2).string(value);
    else writer.uint32((field << 3) | 2).bytes(value);
  }
  return writer.finish();
}

function body(apiVersion: string, kind: string, object: Uint8Array): Uint8Array {
  const envelope = message([1, message([1, apiVersion], [2, kind])], [2, object], [3, ''], [4, '']);
  return Buffer.concat([Buffer.from('k8s\0'), envelope]);
}

function crd(version: Uint8Array): Uint8Array {
  return body(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    message([1, metadata], [2, message([7, version])]),
  );
}

const metadata = message([1, 'a'], [2, ''], [8, message()]);

describe('decodeProtobuf', () => {
  it.each([
    [
      'maps and omitted zeroes',
      body('v1', 'ConfigMap', message([1, metadata], [2, message([1, 'x'], [2, ''])])),
      { data: { x: '' } },
    ],
    [
      'bytes as base64',
      body('v1', 'Secret', message([1, metadata], [2, message([1, 'x'], [2, 'hi'])])),
      { data: { x: 'aGk=' } },
    ],
    [
      'inlined messages, quantities and int-or-string',
      body(
        'v1',
        'Pod',
        message(
          [1, metadata],
          [
            2,
            message(
              [1, message([1, 'v'], [2, message([2, message([2, message([1, '1Gi'])])])])],
              [
                2,
                message([1, 'c'], [10, message([1, message([2, message([1, '/'], [2, message([1, 0], [2, 80])])])])]),
              ],
              [4, 0],
            ),
          ],
        ),
      ),
      {
        spec: {
          volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
          containers: [{ name: 'c', livenessProbe: { httpGet: { path: '/', port: 80 } } }],
          terminationGracePeriodSeconds: 0,
        },
      },
    ],
    [
      'times with microseconds',
      body(
        'coordination.k8s.io/v1',
        'Lease',
        message([1, metadata], [2, message([1, 'me'], [4, message([1, 1], [2, 5000])])]),
      ),
      { spec: { holderIdentity: 'me', renewTime: '1970-01-01T00:00:01.000005Z' } },
    ],
  ])('reads %s', (_, bytes, object) => {
    const { metadata: found, apiVersion, kind, ...rest } = decodeProtobuf(bytes) as Record<string, unknown>;

    expect([typeof apiVersion, typeof kind, found]).toEqual(['string', 'string', { name: 'a' }]);
    expect(rest).toEqual(object);
  });

  it.each([
    ['a schema for items', [24, message([1, message([5, 'string'])])], { items: { type: 'string' } }],
    ['a list of schemas for items', [24, message([2, message([5, 'string'])])], { items: [{ type: 'string' }] }],
    ['additional properties allowed', [30, message([1, 1])], { additionalProperties: true }],
    ['additional properties forbidden', [30, message([1, 0])], { additionalProperties: false }],
    [
      'additional properties with a schema',
      [30, message([1, 1], [2, message([5, 'integer'])])],
      { additionalProperties: { type: 'integer' } },
    ],
    [
      'dependencies between properties',
      [32, message([1, 'a'], [2, message([2, 'b'])])],
      { dependencies: { a: ['b'] } },
    ],
    ['a default', [8, message([1, '{"a":null}'])], { default: { a: null } }],
    ['choices', [20, message([1, '"a"'])], { enum: ['a'] }],
    ['properties', [29, message([1, 'a'], [2, message([37, 1])])], { properties: { a: { nullable: true } } }],
  ] as const)('reads a CustomResourceDefinition: %s', (_, field, schema) => {
    const version = message([1, 'v1'], [2, 1], [3, 1], [4, message([1, message(field)])]);
    const definition = decodeProtobuf(crd(version));

    expect(definition).toMatchObject({
      spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }] },
    });
  });

  it('reads an APIService', () => {
    const spec = message([1, message([1, 'ns'], [2, 'x'])], [2, 'example.com'], [3, 'v1'], [7, 10], [8, 20]);

    expect(
      decodeProtobuf(body('apiregistration.k8s.io/v1', 'APIService', message([1, metadata], [2, spec]))),
    ).toMatchObject({
      spec: {
        service: { namespace: 'ns', name: 'x' },
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 20,
      },
    });
  });

  it('rejects schemas nested too deeply', () => {
    let schema = message([5, 'object']);
    for (let depth = 0; depth < 2_000; depth++) schema = message([28, schema]);

    expect(() => decodeProtobuf(crd(message([4, message([1, schema])])))).toThrow('nested deeper than 200 levels');
  });

  it('reads request options under any group', () => {
    expect(decodeProtobuf(body('policy/v1', 'DeleteOptions', message([1, 0])))).toMatchObject({
      gracePeriodSeconds: 0,
    });
  });

  it.each([
    ['a body without the Protobuf prefix', Buffer.from('{}')],
    ['a kind without a Protobuf form', body('example.com/v1', 'Pool', message())],
    ['a truncated message', body('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f]))],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow(ProtobufError);
  });

  it.each([
    [
      'deeply nested JSON in a message',
      `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'nested deeper than 200 levels (at data',
    ],
    ['JSON that is too long', JSON.stringify({ data: 'x'.repeat(5_000_000) }), 'more than 4194304 bytes of JSON'],
  ])('rejects %s', (_, json, reason) => {
    const revision = body('apps/v1', 'ControllerRevision', message([1, metadata], [2, message([1, json])], [3, 1]));
    expect(() => decodeProtobuf(revision)).toThrow(reason);
  });

  it('rejects deeply nested groups', () => {
    const groups = Buffer.alloc(50_000, (15 << 3) | 3);
    expect(() => decodeProtobuf(body('v1', 'ConfigMap', groups))).toThrow(ProtobufError);
  });
});
