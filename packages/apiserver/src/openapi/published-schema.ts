import type { Json } from '@fairway/kube/object/meta';
import { definitionName } from '../schema/resolve.ts';
import type { Schema } from '../schema/schema.ts';

type PublishedSchema = Record<string, Json>;

/** A schema for OpenAPI v3: references within the document, wrapped in `allOf` if they have siblings. */
export function schemaV3(schema: Schema): PublishedSchema {
  const { $ref, properties, items, additionalProperties, allOf, anyOf, oneOf, not, ...rest } = schema;
  const published = rest as PublishedSchema;
  if ($ref !== undefined) {
    const reference = { $ref: `#/components/schemas/${definitionName($ref)}` };
    return Object.keys(rest).length === 0 ? reference : { ...published, allOf: [reference] };
  }
  return {
    ...published,
    ...(schema['x-kubernetes-int-or-string'] && schema.anyOf === undefined && intOrString()),
    ...(properties && { properties: mapValues(properties, schemaV3) }),
    ...(items && { items: schemaV3(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : schemaV3(additionalProperties),
    }),
    ...(allOf && { allOf: allOf.map(schemaV3) }),
    ...(anyOf && { anyOf: anyOf.map(schemaV3) }),
    ...(oneOf && { oneOf: oneOf.map(schemaV3) }),
    ...(not && { not: schemaV3(not) }),
  };
}

/**
 * A schema for OpenAPI v2 (apiextensions' `ToStructuralOpenAPIV2`): no alternatives, no defaults, and no types for
 * values that old clients would reject, which are nullable values, int-or-string, and preserved unknown fields.
 */
function schemaV2(schema: Schema): PublishedSchema {
  const { $ref, properties, items, additionalProperties, allOf: _a, anyOf: _b, oneOf, not: _n, ...rest } = schema;
  const { nullable, default: _d, type, example: _e, externalDocs: _x, ...words } = rest;
  const published = words as PublishedSchema;
  if ($ref !== undefined) {
    const { description } = schema;
    return { $ref: `#/definitions/${definitionName($ref)}`, ...(description !== undefined && { description }) };
  }
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (isIntOrString) return { ...published, type: 'string', format: 'int-or-string' };
  if (nullable) {
    const { required: _r, ...remarks } = published;
    return remarks;
  }
  const isPreserved = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Quantity is a string or a number: v2 declares a string, and clients accept numbers for it.
  const publishedType = type ?? (oneOf === undefined || properties !== undefined ? undefined : 'string');
  return {
    ...published,
    ...(publishedType !== undefined && { type: publishedType }),
    ...(properties && !isPreserved && { properties: mapValues(properties, schemaV2) }),
    ...(items && !isPreserved && { items: schemaV2(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: schemaV2(additionalProperties) }),
  };
}

/**
 * A definition for OpenAPI v2. A kind that preserves unknown fields has no declared fields (apiextensions'
 * `buildKubeNative`): otherwise kubectl would reject undeclared fields.
 */
export function definitionV2(schema: Schema): PublishedSchema {
  const kinds = schema['x-kubernetes-group-version-kind'];
  if (kinds === undefined || schema['x-kubernetes-preserve-unknown-fields'] !== true) return schemaV2(schema);
  return { type: 'object', 'x-kubernetes-group-version-kind': kinds };
}

function intOrString(): PublishedSchema {
  return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
}

function mapValues(
  record: Readonly<Record<string, Schema>>,
  convert: (schema: Schema) => PublishedSchema,
): PublishedSchema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}
