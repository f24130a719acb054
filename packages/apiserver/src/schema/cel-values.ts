import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { OBJECT_META } from './meta-definitions.ts';
import { withEmbeddedFields } from './prune.ts';
import { propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

const RESERVED_WORDS = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/**
 * The value that a CEL rule sees: integers as int, numbers as double, `date-time` as timestamp, `duration` as duration (through
 * `convertText`), fields under CEL-compatible names, metadata reduced to the name.
 */
export function celValueOf(
  value: unknown,
  declared: Schema | undefined,
  definitions: Definitions,
  convertText: (text: string, format: string) => unknown,
): unknown {
  const schema = declared && withEmbeddedFields(resolveSchema(declared, definitions));
  if (typeof value === 'number') return celNumber(value, schema);
  if (typeof value === 'string') return schema?.format === undefined ? value : convertText(value, schema.format);
  if (isJsonArray(value)) {
    return value.map((item) => celValueOf(item, schema?.items, definitions, convertText));
  }
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const name in value) {
    const property = schema && propertySchema(schema, name);
    const isField = schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
    const member = property?.$ref === OBJECT_META ? nameOnly(value[name]) : value[name];
    if (member === undefined) continue;
    result[isField ? escapeFieldName(name) : name] = celValueOf(member, property, definitions, convertText);
  }
  return result;
}

/** A field's escaped name in CEL rules: `foo-bar` is `foo__dash__bar`, `namespace` is `__namespace__`. */
export function escapeFieldName(name: string): string {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.includes('__')) return name;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** Rules may only refer to an object's name and generateName. */
function nameOnly(metadata: unknown): unknown {
  if (!isJsonObject(metadata)) return metadata;
  const { name, generateName } = metadata;
  return { ...(name !== undefined && { name }), ...(generateName !== undefined && { generateName }) };
}

function celNumber(value: number, schema: Schema | undefined): unknown {
  const isWhole = Number.isSafeInteger(value);
  return isWhole && schema?.type !== 'number' ? BigInt(value) : value;
}
