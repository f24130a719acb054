import type { Kind } from '@fairway/api/kinds/kind';
import type { KubeObject } from '@fairway/kube/object/meta';
import { dump } from 'js-yaml';
import { qualifiedName } from '../resources/kinds.ts';

/** Formats printed from the objects themselves; the others use the server's Table. */
export type ObjectForm = 'json' | 'yaml' | 'name';

export function isObjectForm(form: string | undefined): form is ObjectForm {
  return form === 'json' || form === 'yaml' || form === 'name';
}

/** A single object or a List, as printed by `kubectl get`: without managedFields. */
export function renderObjects(kind: Kind, objects: readonly KubeObject[], form: ObjectForm, asList: boolean): string {
  if (form === 'name') {
    return objects.map(({ metadata }) => `${qualifiedName(kind, metadata.name ?? '')}\n`).join('');
  }
  const items = objects.map((object) => withoutManagedFields(kind, object));
  const [only] = items;
  const printed =
    !asList && only !== undefined && items.length === 1
      ? only
      : { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
  if (form === 'json') return `${JSON.stringify(printed, undefined, 4)}\n`;
  return dump(printed, { lineWidth: -1, noRefs: true });
}

/** An object to print, and its kind. */
export interface PrintedObject {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Objects for `kubectl apply -f -`, without server-set fields: YAML documents, or a JSON object or List. Pure. */
export function renderTemplates(objects: readonly PrintedObject[], form: 'json' | 'yaml'): string {
  const items = objects.map(({ kind, object }) => templateOf(kind, object));
  if (form === 'yaml') return items.map((item) => dump(item, { lineWidth: -1, noRefs: true })).join('---\n');
  const [only] = items;
  const printed = items.length === 1 ? only : { apiVersion: 'v1', kind: 'List', items };
  return `${JSON.stringify(printed, undefined, 4)}\n`;
}

/** The parts of an object that users write. */
function templateOf({ group, version, kind }: Kind, { metadata, ...object }: KubeObject): object {
  const { name, namespace, labels, annotations } = metadata;
  const { spec } = object as { readonly spec?: unknown };
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    ...(spec !== undefined && { spec }),
  };
}

/** Some servers omit apiVersion and kind from the items of a list. */
function withoutManagedFields(kind: Kind, object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata };
}
