import type { Kind } from '@fairway/api/kinds/kind';
import type { KubeObject } from '@fairway/kube/object/meta';
import { dump } from 'js-yaml';
import { qualifiedName } from '../resources/kinds.ts';

/** Formats that are printed from the objects themselves; the others come from the server's Table. */
export type ObjectForm = 'json' | 'yaml' | 'name';

export function isObjectForm(form: string | undefined): form is ObjectForm {
  return form === 'json' || form === 'yaml' || form === 'name';
}

/** A single object, or several as a List, as printed by `kubectl get`: without managedFields. */
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

/** Some servers omit apiVersion and kind from the items of a list. */
function withoutManagedFields(kind: Kind, object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata };
}
