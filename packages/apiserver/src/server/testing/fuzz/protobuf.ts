import * as fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { decodeProtobuf, ProtobufError } from '../../../protobuf/decode-protobuf.ts';
import { allowErrors, check, expectBounded, type Runs } from './property.ts';

/** Pods by field numbers, with bytes changed, removed or inserted. */
export function fuzz(parameters: Runs): number {
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
  const corrupted = fc
    .tuple(body, fc.nat(), fc.uint8Array({ maxLength: 4 }))
    .map(([bytes, at, put]) =>
      Buffer.concat([bytes.subarray(0, at % (bytes.length + 1)), put, bytes.subarray(at % 97)]),
    );
  return check(fc.oneof(body, corrupted), parameters, (bytes) =>
    expectBounded(allowErrors(() => decodeProtobuf(bytes), ProtobufError)),
  );
}
