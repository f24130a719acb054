import type { Schema } from '@fairway/apiserver/schema/schema';
import { z } from 'zod';

/**
 * The structural schema (`JSONSchemaProps`) for a zod schema's input: fields with a default are
 * optional. Throws for a zod schema without a structural form, such as any union other than integer or string.
 */
export function structuralSchema(schema: z.ZodType): Schema {
  const emitted = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.propertyNames;
      dropSafeIntegerBounds(jsonSchema);
      if (jsonSchema.pattern !== undefined)
        jsonSchema['x-pattern-message'] = patternMessage(zodSchema, jsonSchema.pattern);
    },
  });
  // A copy drops the hidden members that zod adds to the top level.
  const structural = withDefaultsDescribed(withIntsOrStrings({ ...emitted } as Schema));
  assertStructural(structural, '');
  return structural;
}

/** Describes what the pattern allows; otherwise users would only see the pattern after a mistake. */
function patternMessage(schema: z.core.$ZodTypes, pattern: string): string {
  const { def } = schema._zod;
  // Unwraps `optional`, `default` and the like.
  if ('innerType' in def) return patternMessage(def.innerType as z.core.$ZodTypes, pattern);
  const checks = def.checks ?? [];
  for (const { _zod } of checks) {
    const { check, error } = _zod.def;
    const message =
      check === 'string_format' ? error?.({ code: 'custom', input: undefined, path: [] } as never) : undefined;
    if (typeof message === 'string') return message;
  }
  throw new Error(
    `the pattern ${pattern} has no message: pass .regex() a message that describes what is allowed, with an example`,
  );
}

/** Kubernetes has an extension for a union of integer and string. The bounds of both types apply. */
function withIntsOrStrings(schema: Schema): Schema {
  const { anyOf = [], items, additionalProperties: values, ...rest } = schema;
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [name, withIntsOrStrings(level)]);
  const [integer, text] = anyOf;
  const isIntOrString = anyOf.length === 2 && integer?.type === 'integer' && text?.type === 'string';
  const { type: _integer, ...integerSchema }: Schema = isIntOrString ? integer : {};
  const { type: _text, ...textSchema }: Schema = isIntOrString ? text : {};
  const { format: _format, ...bounds } = { ...integerSchema, ...textSchema };
  return {
    ...rest,
    ...(anyOf.length > 0 && !isIntOrString && { anyOf }),
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(items && { items: withIntsOrStrings(items) }),
    ...(values !== undefined && {
      additionalProperties: typeof values === 'object' ? withIntsOrStrings(values) : values,
    }),
    ...(isIntOrString && { ...bounds, 'x-kubernetes-int-or-string': true }),
  };
}

/** `kubectl explain` shows descriptions but not defaults. */
function withDefaultsDescribed(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [
    name,
    withDefaultsDescribed(level),
  ]);
  const { additionalProperties: values } = schema;
  const value = schema.default;
  // An object's defaults are those of its fields.
  const isOmitted = value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
  const words = isOmitted ? '' : ` Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`;
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withDefaultsDescribed(schema.items) }),
    ...(typeof values === 'object' && { additionalProperties: withDefaultsDescribed(values) }),
    ...(words !== '' && schema.description !== undefined && { description: `${schema.description}${words}` }),
  };
}

/** zod limits integers to JavaScript's safe integers; a CRD has `format: int64` instead. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function assertStructural(schema: Schema, path: string): void {
  if (schema.anyOf || schema.oneOf || schema.allOf || schema.not || schema.$ref) {
    throw new Error(
      `schema of ${path || 'the object'} is not structural: it contains a union, an intersection or a $ref`,
    );
  }
  const isTyped = schema.type !== undefined || schema['x-kubernetes-int-or-string'];
  if (!isTyped && !schema['x-kubernetes-preserve-unknown-fields']) {
    throw new Error(`schema of ${path || 'the object'} is not structural: it has no type`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) assertStructural(property, `${path}.${name}`);
  if (schema.items) assertStructural(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') assertStructural(schema.additionalProperties, `${path}{}`);
}
