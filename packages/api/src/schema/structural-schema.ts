import type { Schema } from '@fairway/apiserver/schema/schema';
import { z } from 'zod';

/**
 * The structural schema (`JSONSchemaProps`) for a zod schema's input: fields with a default are
 * optional. Throws for a zod schema that has no structural form, such as a union of objects.
 */
export function structuralSchema(schema: z.ZodType): Schema {
  const emitted = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.propertyNames;
      dropSafeIntegerBounds(jsonSchema);
    },
  });
  // A copy drops the hidden members that zod adds to the top level.
  const structural = { ...emitted } as Schema;
  assertStructural(structural, '');
  return structural;
}

/** zod bounds integers by the safe integers of JavaScript; a CRD has `format: int64` instead. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function assertStructural(schema: Schema, path: string): void {
  if (schema.anyOf || schema.oneOf || schema.allOf || schema.not || schema.$ref) {
    throw new Error(`schema of ${path || 'the object'} is not structural: it holds a union, an intersection or a $ref`);
  }
  if (schema.type === undefined && !schema['x-kubernetes-preserve-unknown-fields']) {
    throw new Error(`schema of ${path || 'the object'} is not structural: it has no type`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) assertStructural(property, `${path}.${name}`);
  if (schema.items) assertStructural(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') assertStructural(schema.additionalProperties, `${path}{}`);
}
