import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

const PAGE_SIZE = 200;
/** Maximum number of objects to name; the others are counted. */
const MAX_NAMED_OBJECTS = 3;

/**
 * A field of stored objects that the new definitions lack. The field is removed from each object at the object's next
 * write.
 */
export interface LostField {
  readonly plural: string;
  /** `spec.template.metadata.finalizers` */
  readonly field: string;
  /** `namespace/name` of some of the objects with a value for the field. */
  readonly exampleFields: readonly string[];
  readonly count: number;
}

/**
 * Paths below `spec` that only the installed schema has; for a removed object, only its own path. List items are
 * written as `[]`.
 */
export function lostPaths(
  installed: CustomResourceDefinition,
  ownDefinition: CustomResourceDefinition,
): readonly string[] {
  const spec = (crd: CustomResourceDefinition) =>
    crd.spec.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema?.properties?.['spec'];
  const before = spec(installed);
  const after = spec(ownDefinition);
  return before === undefined || after === undefined ? [] : [...lostPathsBelow(before, after, 'spec')];
}

function* lostPathsBelow(before: Schema, after: Schema, path: string): Generator<string> {
  if (after['x-kubernetes-preserve-unknown-fields'] === true) return;
  if (before.items && after.items) yield* lostPathsBelow(before.items, after.items, `${path}[]`);
  // An object that allows any key keeps every key.
  if (after.additionalProperties !== undefined) return;
  for (const [name, property] of Object.entries(before.properties ?? {})) {
    const newSchema = after.properties?.[name];
    if (newSchema === undefined) yield `${path}.${name}`;
    else yield* lostPathsBelow(property, newSchema, `${path}.${name}`);
  }
}

/**
 * The paths for which stored objects have a value. If there are any paths to check, reads all objects of the kind, page
 * by page.
 */
export async function lostFields(
  client: KubeClient,
  type: ResourceType,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly LostField[]> {
  if (paths.length === 0) return [];
  const found = new Map(paths.map((path) => [path, { exampleFields: [] as string[], count: 0 }]));
  let next: string | undefined;
  do {
    const options = { limit: PAGE_SIZE, signal, ...(next !== undefined && { continue: next }) };
    const { items, metadata } = await client.resource<KubeObject>(type).list(options);
    for (const object of items) {
      for (const [path, uses] of found) {
        if (!hasValue(object, path.split('.'))) continue;
        uses.count++;
        if (uses.exampleFields.length < MAX_NAMED_OBJECTS) uses.exampleFields.push(nameOf(object));
      }
    }
    next = metadata?.continue || undefined;
  } while (next !== undefined);
  return [...found]
    .filter(([, { count }]) => count > 0)
    .map(([field, uses]) => ({ plural: type.plural, field, ...uses }));
}

function nameOf({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function hasValue(value: unknown, [segment, ...rest]: readonly string[]): boolean {
  if (segment === undefined) return value !== undefined && value !== null;
  if (!isJsonObject(value)) return false;
  const isListSchema = segment.endsWith('[]');
  const name = isListSchema ? segment.slice(0, -2) : segment;
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  if (!isListSchema) return hasValue(member, rest);
  return isJsonArray(member) && member.some((item) => hasValue(item, rest));
}

export function lostFieldText({ plural, field, exampleFields, count }: LostField): string {
  const more = count > exampleFields.length ? ` and ${count - exampleFields.length} more` : '';
  return `${plural}: ${field}, which ${exampleFields.join(', ')}${more} ${count === 1 ? 'has' : 'have'}`;
}
