import type { Schema } from '@fairway/apiserver/schema/schema';

export const TEXT_SCHEMA: Schema = { type: 'string' };
export const INTEGER_SCHEMA: Schema = { type: 'integer' };
/** A port by number, name or range; a protocol by number or name. */
export const INT_OR_STRING_SCHEMA: Schema = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
};

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function objectOf(properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema {
  return { type: 'object', properties, ...(required && { required }) };
}
