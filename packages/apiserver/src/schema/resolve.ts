import { META_DEFINITIONS, OBJECT_META } from './meta-definitions.ts';
import type { Definitions, Schema } from './schema.ts';

/**
 * The schema that a `$ref` refers to, or the schema itself. A default or description next to the `$ref` belongs to the
 * field. Throws if a definition is missing, which means that the kind was registered incorrectly.
 */
export function resolveSchema(schema: Schema, definitions: Definitions): Schema {
  let resolved = schema;
  while (resolved.$ref !== undefined) {
    const name = definitionName(resolved.$ref);
    const target = definitions.get(name) ?? META_DEFINITIONS.get(name);
    if (target === undefined) throw new Error(`schema definition ${name} is not known`);
    resolved = target;
  }
  return resolved;
}

/** The name in a reference, either bare or in OpenAPI format. */
export function definitionName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** The schema of a property, whether named or allowed as an additional one; undefined for unknown fields. */
export function propertySchema(schema: Schema, name: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const objectSchemas = new WeakMap<Schema, Schema>();

/**
 * The schema of a kind's whole object, with `apiVersion`, `kind` and the standard `metadata` instead of the kind's own.
 */
export function objectSchemaOf(schema: Schema, definitions: Definitions): Schema {
  const root = resolveSchema(schema, definitions);
  let whole = objectSchemas.get(root);
  if (whole === undefined) {
    whole = withObjectFields(root);
    objectSchemas.set(root, whole);
  }
  return whole;
}

const DESCRIPTIONS = {
  apiVersion: 'APIVersion defines the versioned schema of this representation of an object.',
  kind: 'Kind is a string value representing the REST resource this object represents.',
  metadata:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
};

/** Adds `apiVersion`, `kind` and `metadata` to an object schema: the root of a kind, or an embedded resource. */
export function withObjectFields(schema: Schema): Schema {
  const { apiVersion, kind, metadata, ...rest } = schema.properties ?? {};
  return {
    ...schema,
    type: 'object',
    properties: {
      apiVersion: {
        ...apiVersion,
        type: 'string',
        description: apiVersion?.description ?? DESCRIPTIONS.apiVersion,
      },
      kind: { ...kind, type: 'string', description: kind?.description ?? DESCRIPTIONS.kind },
      metadata: metadata?.$ref === undefined ? { $ref: OBJECT_META, description: DESCRIPTIONS.metadata } : metadata,
      ...rest,
    },
  };
}
