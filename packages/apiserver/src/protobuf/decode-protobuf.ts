import { type JsonBounds, MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import protobuf from 'protobufjs/minimal.js';
import { type FieldEntry, messageTable } from './message-table.ts';

type Reader = protobuf.Reader;
type Message = Record<string, unknown>;

/** Kubernetes' envelope: four bytes, then a `runtime.Unknown`. */
const MAGIC = Buffer.from('k8s\0');
const WIRE_TYPE_BITS = 3;

/** Thrown for a body that is not the Protobuf form of a known kind. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** Limits on a decoded body: it is about a third longer in JSON, and JSON fields may be nested arbitrarily. */
const BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxChars: 4 * 1024 * 1024 };

/**
 * The object in a body of `application/vnd.kubernetes.protobuf`, in JSON form. Throws a ProtobufError for input that
 * is invalid, nested too deeply or too large.
 */
export function decodeProtobuf(body: Uint8Array): object {
  const object = decode(body);
  const found = measureJson(object, BOUNDS);
  if (typeof found === 'number') return object;
  const { maxDepth, maxChars } = BOUNDS;
  const limit =
    found.kind === 'depth' ? `nested deeper than ${maxDepth} levels` : `more than ${maxChars} bytes of JSON`;
  throw new ProtobufError(`body is ${limit} (at ${found.path}…)`);
}

function decode(body: Uint8Array): object {
  if (!MAGIC.equals(body.subarray(0, MAGIC.length)))
    throw new ProtobufError('body lacks the prefix of Kubernetes Protobuf');
  try {
    const { apiVersion, kind, raw } = readEnvelope(protobuf.Reader.create(body.subarray(MAGIC.length)));
    const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    const { kinds } = messageTable();
    // Request options (DeleteOptions) may come under any group.
    const message = kinds[`${group} ${kind}`] ?? kinds[`meta.k8s.io/v1 ${kind}`];
    if (message === undefined) throw new ProtobufError(`no Protobuf encoding is known for ${kind} in ${apiVersion}`);
    return { apiVersion, kind, ...readMessage(protobuf.Reader.create(raw), message, raw.length, 0) };
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError(`body is not readable Protobuf: ${(error as Error).message}`, { cause: error });
  }
}

function readEnvelope(reader: Reader): { apiVersion: string; kind: string; raw: Uint8Array } {
  const found: { apiVersion: string; kind: string; raw: Uint8Array } = {
    apiVersion: '',
    kind: '',
    raw: new Uint8Array(),
  };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> WIRE_TYPE_BITS) {
      case 1: {
        const type = protobuf.Reader.create(reader.bytes());
        while (type.pos < type.len) {
          const field = type.uint32() >>> WIRE_TYPE_BITS;
          if (field === 1) found.apiVersion = type.string();
          else found.kind = type.string();
        }
        break;
      }
      case 2:
        found.raw = reader.bytes();
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return found;
}

/** Schemas contain schemas: `depth` counts the messages around this one. */
function readMessage(reader: Reader, id: string, length: number, depth: number): Message {
  if (depth > MAX_DEPTH) throw new ProtobufError(`body is nested deeper than ${MAX_DEPTH} levels`);
  const fields = messageTable().messages[id] ?? {};
  const end = reader.pos + length;
  const message: Message = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields[tag >>> WIRE_TYPE_BITS];
    if (field === undefined) reader.skipType(tag & 7);
    else readField(reader, field, message, { wireType: tag & 7, depth });
  }
  return message;
}

function readField(
  reader: Reader,
  [name, type, flags = '']: FieldEntry,
  message: Message,
  { wireType, depth }: { readonly wireType: number; readonly depth: number },
): void {
  if (flags.includes('m')) {
    const [key, value] = readMapEntry(reader, type, depth);
    const map = (message[name] ??= {}) as Message;
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  if (flags.includes('r')) {
    const list = (message[name] ??= []) as unknown[];
    if (wireType === 2 && type === 'int') {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) list.push(readValue(reader, type, depth));
    } else list.push(readValue(reader, type, depth));
    return;
  }
  const value = readValue(reader, type, depth);
  if (flags.includes('i')) Object.assign(message, value);
  else if (value !== undefined && !(flags.includes('z') && isZero(value))) message[name] = value;
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function readMapEntry(reader: Reader, type: string, depth: number): [string, unknown] {
  const end = reader.uint32() + reader.pos;
  let key = '';
  let value: unknown = type === 'string' || type === 'bytes' ? '' : {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> WIRE_TYPE_BITS === 1) key = reader.string();
    else value = readValue(reader, type, depth);
  }
  return [key, value];
}

function readValue(reader: Reader, type: string, depth: number): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int':
      return Number(reader.int64());
    case 'double':
      return reader.double();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return readLengthDelimited(reader, type, depth);
  }
}

function readLengthDelimited(reader: Reader, type: string, depth: number): unknown {
  const length = reader.uint32();
  switch (type) {
    case 'time':
    case 'microtime':
      return readTime(readNumbered(reader, length), type);
    case 'quantity':
      return String(readNumbered(reader, length).get(1) ?? '');
    case 'intorstring': {
      const parts = readNumbered(reader, length);
      return Number(parts.get(1) ?? 0) === 1 ? String(parts.get(3) ?? '') : Number(parts.get(2) ?? 0);
    }
    case 'json': {
      const raw = readNumbered(reader, length).get(1);
      return raw === undefined || raw === '' ? undefined : (JSON.parse(String(raw)) as unknown);
    }
    case 'items':
      return readItems(reader, length);
    case 'schemaorlist':
    case 'schemaorbool':
    case 'schemaorstrings':
      return readSchemaOr(reader, type, length, depth + 1);
    default:
      return readMessage(reader, type, length, depth + 1);
  }
}

const SCHEMA = 'apiextensions/v1.JSONSchemaProps';

/** A schema or its alternative: JSON contains either one directly; the message has a field for each. */
function readSchemaOr(
  reader: Reader,
  type: 'schemaorlist' | 'schemaorbool' | 'schemaorstrings',
  length: number,
  depth: number,
): unknown {
  const end = reader.pos + length;
  const schemaField = type === 'schemaorbool' ? 2 : 1;
  let schema: Message | undefined;
  const list: unknown[] = [];
  let isAllowed = false;
  while (reader.pos < end) {
    const field = reader.uint32() >>> WIRE_TYPE_BITS;
    if (field === schemaField) schema = readMessage(reader, SCHEMA, reader.uint32(), depth);
    else if (type === 'schemaorbool') isAllowed = reader.bool();
    else if (type === 'schemaorlist') list.push(readMessage(reader, SCHEMA, reader.uint32(), depth));
    else list.push(reader.string());
  }
  if (type === 'schemaorbool') return schema ?? isAllowed;
  return list.length > 0 ? list : (schema ?? []);
}

/** The fields of a small message by number; length-delimited ones are strings. */
function readNumbered(reader: Reader, length: number): Map<number, number | string> {
  const end = reader.pos + length;
  const fields = new Map<number, number | string>();
  while (reader.pos < end) {
    const tag = reader.uint32();
    fields.set(tag >>> WIRE_TYPE_BITS, (tag & 7) === 2 ? reader.string() : Number(reader.int64()));
  }
  return fields;
}

function readItems(reader: Reader, length: number): string[] {
  const end = reader.pos + length;
  const items: string[] = [];
  while (reader.pos < end) {
    reader.uint32();
    items.push(reader.string());
  }
  return items;
}

/** RFC 3339; a message without fields is the zero time, which is null in JSON and omitted by clients. */
function readTime(parts: Map<number, number | string>, type: 'time' | 'microtime'): string | undefined {
  if (parts.size === 0) return undefined;
  const text = new Date(Number(parts.get(1) ?? 0) * 1000).toISOString().slice(0, 19);
  const micros = String(Math.floor(Number(parts.get(2) ?? 0) / 1000)).padStart(6, '0');
  return type === 'time' ? `${text}Z` : `${text}.${micros}Z`;
}
