import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf, ProtobufError } from './decode-protobuf.ts';

/** A message from field numbers: text and messages are length-delimited, numbers varints. */
function message(...fields: readonly [number, string | number | Uint8Array][]): Uint8Array {
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
      'micro times',
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

  it('reads options of requests under any group', () => {
    expect(decodeProtobuf(body('policy/v1', 'DeleteOptions', message([1, 0])))).toMatchObject({
      gracePeriodSeconds: 0,
    });
  });

  it.each([
    ['what lacks the mark', Buffer.from('{}')],
    ['a kind that has no Protobuf form', body('example.com/v1', 'Pool', message())],
    ['what ends too early', body('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f]))],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow(ProtobufError);
  });

  it.each([
    [
      'nested JSON within',
      `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'nested deeper than 200 levels (at data',
    ],
    ['JSON that is too long', JSON.stringify({ data: 'x'.repeat(5_000_000) }), 'more than 4194304 bytes of JSON'],
  ])('refuses %s', (_, json, reason) => {
    const revision = body('apps/v1', 'ControllerRevision', message([1, metadata], [2, message([1, json])], [3, 1]));
    expect(() => decodeProtobuf(revision)).toThrow(reason);
  });

  it('refuses groups of groups', () => {
    const groups = Buffer.alloc(50_000, (15 << 3) | 3);
    expect(() => decodeProtobuf(body('v1', 'ConfigMap', groups))).toThrow(ProtobufError);
  });
});
