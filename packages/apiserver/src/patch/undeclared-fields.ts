import { badRequest } from '@fairway/kube/object/api-error';
import { cloneJson } from '@fairway/kube/object/json';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';
import { indexPath } from '../schema/field-path.ts';
import { type ItemPath, pruneObject } from '../schema/prune.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { shapeOf } from '../schema/shape.ts';
import { formatElement } from './field-set.ts';
import { itemElements } from './path-element.ts';

/** Maximum number of fields in a response. */
const MAX_FIELDS = 100;

interface AppliedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
  readonly definitions: Definitions;
}

/** Throws 400 for an applied configuration with unknown fields. The message is structured-merge-diff's. */
export function checkDeclaredFields(applied: KubeObject, kind: AppliedKind): void {
  const { schema, definitions } = kind;
  const paths = pruneObject(cloneJson(applied), schema, definitions, itemPathOf(definitions));
  if (paths.length === 0) return;
  const { namespace = '', name = '' } = applied.metadata;
  const errors = paths.slice(0, MAX_FIELDS).map((path) => `.${path}: field not declared in schema`);
  if (paths.length > MAX_FIELDS) errors.push(`and ${paths.length - MAX_FIELDS} more`);
  const detail = errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
  const type = `${kind.group === '' ? '/' : ''}${apiVersionOf(kind)}, Kind=${kind.kind}`;
  throw badRequest(`failed to create typed patch object (${namespace}/${name}; ${type}): ${detail}`);
}

/** Items are identified by their keys if they have any: `.spec.ports[name="http"]`. */
function itemPathOf(definitions: Definitions): ItemPath {
  return (parent, index, item, list) => {
    const shape = shapeOf(list, definitions);
    const [element] = shape.kind === 'list-map' ? (itemElements(shape, [item], definitions) ?? []) : [];
    return element === undefined ? indexPath(parent, index) : `${parent}${formatElement(element)}`;
  };
}
