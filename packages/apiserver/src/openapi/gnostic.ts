import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import protobuf, { type Writer } from 'protobufjs/minimal.js';
import type { DocumentV2, JsonRecord, OperationV2, PathItemV2 } from './document-v2.ts';
import type { Method } from './operations.ts';

/**
 * The OpenAPI v2 document in gnostic's protobuf encoding (openapiv2/OpenAPIv2.proto), which client-go requests as
 * `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. Numbers in calls are the field numbers in that file.
 */
export function encodeDocument(document: DocumentV2): Uint8Array {
  const writer = protobuf.Writer.create();
  text(writer, 1, document.swagger);
  message(writer, 2, (info) => {
    text(info, 1, document.info.title);
    text(info, 2, document.info.version);
  });
  message(writer, 8, (paths) => {
    for (const [path, item] of Object.entries(document.paths)) {
      named(paths, 2, path, (value) => writePathItem(value, item));
    }
  });
  message(writer, 9, (definitions) => {
    for (const [name, schema] of Object.entries(document.definitions)) {
      named(definitions, 1, name, (value) => writeSchema(value, schema));
    }
  });
  return writer.finish();
}

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const FIXED64 = 1;

function message(writer: Writer, field: number, write: (nested: Writer) => void): void {
  const nested = writer.uint32((field << 3) | LENGTH_DELIMITED).fork();
  write(nested);
  nested.ldelim();
}

/** A `Named…` message: a name, and a value as its second field. */
function named(writer: Writer, field: number, name: string, write: (nested: Writer) => void): void {
  message(writer, field, (entry) => {
    text(entry, 1, name);
    message(entry, 2, write);
  });
}

function text(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'string' && value !== '') writer.uint32((field << 3) | LENGTH_DELIMITED).string(value);
}

function texts(writer: Writer, field: number, values: unknown): void {
  if (!isJsonArray(values)) return;
  for (const value of values) text(writer, field, value);
}

function flag(writer: Writer, field: number, value: unknown): void {
  if (value === true) writer.uint32((field << 3) | VARINT).bool(true);
}

function integer(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'number' && value !== 0) writer.uint32((field << 3) | VARINT).int64(value);
}

function double(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'number' && value !== 0) writer.uint32((field << 3) | FIXED64).double(value);
}

/** `Any`: its YAML, of which JSON is a subset. */
function any(writer: Writer, value: unknown): void {
  text(writer, 2, `${JSON.stringify(value)}\n`);
}

function extensions(writer: Writer, field: number, source: object): void {
  for (const [name, value] of Object.entries(source)) {
    if (name.startsWith('x-') && value !== undefined) named(writer, field, name, (nested) => any(nested, value));
  }
}

const METHODS: readonly (readonly [Method, number])[] = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['patch', 8],
];

function writePathItem(writer: Writer, item: PathItemV2): void {
  for (const [method, field] of METHODS) {
    const operation = item[method];
    if (operation !== undefined) message(writer, field, (nested) => writeOperation(nested, operation));
  }
  for (const parameter of item.parameters) message(writer, 9, (nested) => writeParametersItem(nested, parameter));
}

function writeOperation(writer: Writer, operation: OperationV2): void {
  texts(writer, 1, operation.tags);
  text(writer, 3, operation.description);
  text(writer, 5, operation.operationId);
  texts(writer, 6, operation.produces);
  texts(writer, 7, operation.consumes);
  for (const parameter of operation.parameters) message(writer, 8, (nested) => writeParametersItem(nested, parameter));
  message(writer, 9, (responses) => {
    for (const [code, { description, schema }] of Object.entries(operation.responses)) {
      named(responses, 1, code, (value) =>
        message(value, 1, (response) => {
          text(response, 1, description);
          if (schema === undefined) return;
          message(response, 2, (item) => message(item, 1, (nested) => writeSchema(nested, schema)));
        }),
      );
    }
  });
  texts(writer, 10, operation.schemes);
  extensions(writer, 13, operation);
}

function writeParametersItem(writer: Writer, parameter: JsonRecord): void {
  message(writer, 1, (choice) => {
    if (parameter.in === 'body') message(choice, 1, (body) => writeBodyParameter(body, parameter));
    else message(choice, 2, (other) => writeOtherParameter(other, parameter));
  });
}

function writeBodyParameter(writer: Writer, { description, name, required, schema, ...rest }: JsonRecord): void {
  text(writer, 1, description);
  text(writer, 2, name);
  text(writer, 3, rest.in);
  flag(writer, 4, required);
  if (isJsonObject(schema)) message(writer, 5, (nested) => writeSchema(nested, schema));
}

/** Query and path parameters; their messages differ in `allow_empty_value`, which shifts the numbers by one. */
function writeOtherParameter(writer: Writer, parameter: JsonRecord): void {
  const isQuery = parameter.in === 'query';
  const shift = isQuery ? 1 : 0;
  message(writer, isQuery ? 3 : 4, (nested) => {
    flag(nested, 1, parameter.required);
    text(nested, 2, parameter.in);
    text(nested, 3, parameter.description);
    text(nested, 4, parameter.name);
    text(nested, 5 + shift, parameter.type);
    flag(nested, 19 + shift, parameter.uniqueItems);
  });
}

function writeSchema(writer: Writer, schema: JsonRecord): void {
  text(writer, 1, schema.$ref);
  text(writer, 2, schema.format);
  text(writer, 3, schema.title);
  text(writer, 4, schema.description);
  double(writer, 6, schema.multipleOf);
  double(writer, 7, schema.maximum);
  flag(writer, 8, schema.exclusiveMaximum);
  double(writer, 9, schema.minimum);
  flag(writer, 10, schema.exclusiveMinimum);
  integer(writer, 11, schema.maxLength);
  integer(writer, 12, schema.minLength);
  text(writer, 13, schema.pattern);
  integer(writer, 14, schema.maxItems);
  integer(writer, 15, schema.minItems);
  flag(writer, 16, schema.uniqueItems);
  integer(writer, 17, schema.maxProperties);
  integer(writer, 18, schema.minProperties);
  texts(writer, 19, schema.required);
  for (const value of isJsonArray(schema.enum) ? schema.enum : []) message(writer, 20, (nested) => any(nested, value));
  writeNested(writer, schema);
  extensions(writer, 31, schema);
}

function writeNested(writer: Writer, { additionalProperties, type, items, properties }: JsonRecord): void {
  if (isJsonObject(additionalProperties)) {
    const nested = additionalProperties;
    message(writer, 21, (item) => message(item, 1, (value) => writeSchema(value, nested)));
  } else if (typeof additionalProperties === 'boolean') {
    message(writer, 21, (item) => item.uint32((2 << 3) | VARINT).bool(additionalProperties));
  }
  if (type !== undefined) message(writer, 22, (item) => text(item, 1, type));
  if (isJsonObject(items)) message(writer, 23, (item) => message(item, 1, (nested) => writeSchema(nested, items)));
  if (!isJsonObject(properties)) return;
  message(writer, 25, (item) => {
    for (const [name, property] of Object.entries(properties)) {
      if (isJsonObject(property)) named(item, 1, name, (nested) => writeSchema(nested, property));
    }
  });
}
