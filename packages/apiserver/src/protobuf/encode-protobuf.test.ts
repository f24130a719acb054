import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode-protobuf.ts';
import { encodeMessage } from './encode-protobuf.ts';

/** Wraps a message as a request body, for the decoder. */
function inEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const type = protobuf.Writer.create().uint32(10).string(apiVersion).uint32(18).string(kind).finish();
  const envelope = protobuf.Writer.create().uint32(10).bytes(type).uint32(18).bytes(raw).finish();
  return Buffer.concat([Buffer.from('k8s\0'), envelope]);
}

describe('encodeMessage', () => {
  it('writes a Node that decodes to the same object', () => {
    const node = {
      metadata: { name: 'web-1', labels: { a: '1', b: '' }, annotations: { note: 'é' } },
      spec: {
        providerID: 'openstack://one/1',
        unschedulable: true,
        taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
      },
      status: {
        capacity: { cpu: '4', memory: '16Gi' },
        allocatable: { cpu: '3830m', 'example.com/gpu': '1' },
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
      },
    };

    const read = decodeProtobuf(inEnvelope('v1', 'Node', encodeMessage('v1', 'Node', node)));

    expect(read).toMatchObject({
      ...node,
      status: { ...node.status, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
    });
  });

  it('omits fields that the message lacks', () => {
    expect(encodeMessage('v1', 'Node', { colour: 'blue' })).toHaveLength(encodeMessage('v1', 'Node', {}).length);
  });

  it('rejects a kind without a Protobuf form', () => {
    expect(() => encodeMessage('example.com/v1', 'Pool', {})).toThrow(TypeError);
  });
});
