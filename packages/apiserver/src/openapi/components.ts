import { LIST_META, META_DEFINITIONS } from '../schema/meta-definitions.ts';
import { definitionName, resolveSchema, withObjectFields } from '../schema/resolve.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import type { ResourceDefinition } from '../server/resource.ts';
import { definitionNameOf } from './names.ts';
import { DELETE_OPTIONS, PATCH, SCALE, STATUS } from './operations.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Definitions referenced by paths, for servers whose kinds come without definitions. */
const FALLBACK_DEFINITIONS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  [PATCH, { type: 'object', description: 'Patch is provided to give a concrete name and type to the request body.' }],
  [STATUS, { type: 'object', description: 'Status is a return value for calls that do not return other objects.' }],
  [DELETE_OPTIONS, { type: 'object', description: 'DeleteOptions may be provided when deleting an API object.' }],
  [
    SCALE,
    {
      type: 'object',
      description: 'Scale represents a scaling request for a resource.',
      properties: {
        metadata: { $ref: `${META}.ObjectMeta` },
        spec: { type: 'object', properties: { replicas: { type: 'integer', format: 'int32' } } },
        status: {
          type: 'object',
          required: ['replicas'],
          properties: { replicas: { type: 'integer', format: 'int32' }, selector: { type: 'string' } },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
    },
  ],
]);

/** All definitions that the kinds need, sorted by name: their own, those of their lists, and all referenced ones. */
export function componentsOf(resources: readonly ResourceDefinition[], definitions: Definitions): Map<string, Schema> {
  const components = new Map<string, Schema>();
  const pending: string[] = [PATCH, STATUS, DELETE_OPTIONS];
  const add = (name: string, schema: Schema) => {
    components.set(name, schema);
    collectReferences(schema, pending);
  };
  for (const resource of resources) {
    const name = definitionNameOf(resource);
    if (resource.scale) pending.push(SCALE);
    if (!components.has(name))
      add(name, withKind(withObjectFields(resolveSchema(resource.schema, definitions)), resource));
    if (resource.review === undefined) components.set(`${name}List`, listSchema(resource, name));
  }
  pending.push(LIST_META);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (components.has(name)) continue;
    const schema = definitions.get(name) ?? META_DEFINITIONS.get(name) ?? FALLBACK_DEFINITIONS.get(name);
    if (schema !== undefined) add(name, schema);
  }
  return new Map([...components].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function withKind(schema: Schema, { group, version, kind }: ResourceDefinition): Schema {
  return { ...schema, 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}

function listSchema({ group, version, kind, listKind = `${kind}List` }: ResourceDefinition, name: string): Schema {
  return {
    type: 'object',
    description: `${listKind} is a list of ${kind}.`,
    required: ['items'],
    properties: {
      apiVersion: { type: 'string', description: 'APIVersion defines the versioned schema of this representation.' },
      items: { type: 'array', description: `List of ${kind} objects.`, items: { $ref: name } },
      kind: { type: 'string', description: 'Kind is a string value representing the REST resource.' },
      metadata: { $ref: LIST_META, description: 'Standard list metadata.' },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
}

function collectReferences(schema: Schema, found: string[]): void {
  if (schema.$ref !== undefined) found.push(definitionName(schema.$ref));
  for (const property of Object.values(schema.properties ?? {})) collectReferences(property, found);
  if (schema.items !== undefined) collectReferences(schema.items, found);
  if (typeof schema.additionalProperties === 'object') collectReferences(schema.additionalProperties, found);
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    collectReferences(part, found);
  }
}
