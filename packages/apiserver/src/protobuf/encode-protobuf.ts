import protobuf from 'protobufjs/minimal.js';
import { type FieldEntry, messageTable } from './message-table.ts';

type Writer = protobuf.Writer;

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

/**
 * A built-in object in the format of its Go type's `Marshal()`: the bare message, without the envelope of request
 * bodies. Fields unknown to the message are omitted. Throws a TypeError for an unknown kind, and for times, which
 * object templates do not contain.
 */
export function encodeMessage(groupVersion: string, kind: string, object: object): Uint8Array {
  const group = groupVersion.includes('/') ? groupVersion : `/${groupVersion}`;
  const message = messageTable().kinds[`${group} ${kind}`];
  if (message === undefined) throw new TypeError(`no Protobuf encoding is known for ${kind} in ${groupVersion}`);
  return encode(message, object);
}

function encode(message: string, object: object): Uint8Array {
  const writer = protobuf.Writer.create();
  const fields = Object.entries(messageTable().messages[message] ?? {});
  for (const [number, entry] of fields) writeField(writer, Number(number), entry, object as Record<string, unknown>);
  return writer.finish();
}

function writeField(
  writer: Writer,
  number: number,
  [name, type, flags = '']: FieldEntry,
  object: Record<string, unknown>,
) {
  const value = flags.includes('i') ? object : object[name];
  if (value === undefined || value === null) return;
  if (flags.includes('m')) {
    for (const [key, item] of Object.entries(value)) {
      const pair = protobuf.Writer.create();
      writeValue(pair, 1, 'string', key);
      writeValue(pair, 2, type, item);
      writer.uint32((number << 3) | DELIMITED).bytes(pair.finish());
    }
  } else if (flags.includes('r')) {
    for (const item of value as readonly unknown[]) writeValue(writer, number, type, item);
  } else {
    writeValue(writer, number, type, value);
  }
}

function writeValue(writer: Writer, number: number, type: string, value: unknown): void {
  const tag = (wireType: number) => writer.uint32((number << 3) | wireType);
  switch (type) {
    case 'string':
      tag(DELIMITED).string(String(value));
      return;
    case 'bool':
      tag(VARINT).bool(value === true);
      return;
    case 'int':
      tag(VARINT).int64(Number(value));
      return;
    case 'double':
      tag(FIXED64).double(Number(value));
      return;
    case 'bytes':
      tag(DELIMITED).bytes(Buffer.from(String(value), 'base64'));
      return;
    case 'quantity':
      tag(DELIMITED).bytes(
        protobuf.Writer.create()
          .uint32((1 << 3) | DELIMITED)
          .string(String(value))
          .finish(),
      );
      return;
    case 'time':
    case 'microtime':
    case 'intorstring':
    case 'json':
    case 'items':
    case 'schemaorlist':
    case 'schemaorbool':
    case 'schemaorstrings':
      throw new TypeError(`values of type ${type} are not written`);
    default:
      tag(DELIMITED).bytes(encode(type, value as object));
  }
}
