import { type CelType, DYN, listOf, mapOf, simpleType } from './cel-types.ts';
import { withEmbeddedFields } from './prune.ts';
import { objectSchemaOf, propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

interface Source {
  readonly definitions: Definitions;
  /** Whether unknown fields are dropped from an object that declares no fields. */
  readonly isPruned: boolean;
}

/** The type of a kind's whole objects. `custom` means that the kind comes from a CustomResourceDefinition. */
export function celTypeOfKind(
  { kind, schema, custom = false }: { readonly kind: string; readonly schema: Schema; readonly custom?: boolean },
  definitions: Definitions,
): CelType {
  return celTypeOf(objectSchemaOf(schema, definitions), kind, { definitions, isPruned: custom });
}

/**
 * The type of a schema for policies: strings are strings regardless of format; nullable, int-or-string and untyped values are dynamic.
 */
function celTypeOf(declared: Schema, name: string, source: Source): CelType {
  const schema = withEmbeddedFields(resolveSchema(declared, source.definitions));
  if (schema['x-kubernetes-int-or-string'] || schema.nullable) return DYN;
  switch (schema.type) {
    case 'boolean':
      return simpleType('bool');
    case 'integer':
      return simpleType('int');
    case 'number':
      return simpleType('double');
    case 'string':
      return simpleType('string');
    case 'array':
      return listOf(schema.items === undefined ? DYN : celTypeOf(schema.items, `${name}.@idx`, source));
    case 'object':
      return objectType(schema, name, source);
    case undefined:
      break;
  }
  return DYN;
}

function objectType(schema: Schema, name: string, source: Source): CelType {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    if (additionalProperties === true) return mapOf(simpleType('string'), DYN);
    if (typeof additionalProperties === 'object') {
      return mapOf(simpleType('string'), celTypeOf(additionalProperties, `${name}.@elem`, source));
    }
  }
  const keepsAny = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (properties === undefined && (keepsAny || !source.isPruned)) return DYN;
  return {
    kind: 'object',
    name,
    field(field) {
      const property = propertySchema(schema, field);
      if (property === undefined) return keepsAny ? DYN : undefined;
      return celTypeOf(property, `${name}.${field}`, source);
    },
  };
}
