import { badRequest } from '@fairway/kube/object/api-error';
import { type FieldTerm, parseFieldSelector, requiredFieldValue } from '@fairway/kube/object/field-selector';
import { fieldNamesOf, getAt } from '@fairway/kube/object/path';
import { matchesLabels, parseLabelSelector } from '@fairway/kube/object/selector';
import type { Entry } from '../store/store.ts';
import type { ServedResource } from './served-resource.ts';

/** The objects of a bucket selected by a list, watch or deletecollection. */
export interface Selection {
  readonly bucket: string;
  /** Common prefix of the keys: `namespace/`, or '' for all. */
  readonly prefix: string;
  /** The only key that can match, if a name is selected. */
  readonly key: string | undefined;
  /** The value that `spec.nodeName` must have. */
  readonly nodeName: string | undefined;
  /** Whether there is neither a label nor a field selector. */
  readonly everything: boolean;
  matches(entry: Entry): boolean;
}

const NODE_NAME = 'spec.nodeName';

/**
 * Reads labelSelector and fieldSelector. Throws 400 for a selector that can't be read, and for a field that the kind
 * can't be selected by.
 */
export function selectionOf(resource: ServedResource, namespace: string, query: URLSearchParams, name = ''): Selection {
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const labels = labelText.trim() === '' ? undefined : parseLabelSelector(labelText);
  const terms: FieldTerm[] = fieldText === '' ? [] : [...parseFieldSelector(fieldText)];
  if (name !== '') terms.push({ field: 'metadata.name', negated: false, value: name });
  const fields = terms.map((term) => fieldPredicate(resource, term));

  const requestedNamespace = namespace !== '' ? namespace : requiredFieldValue(terms, 'metadata.namespace');
  const requestedName = requiredFieldValue(terms, 'metadata.name');
  const prefix = resource.namespaced && requestedNamespace !== undefined ? `${requestedNamespace}/` : '';
  const keyed = requestedName !== undefined && (!resource.namespaced || requestedNamespace !== undefined);
  return {
    bucket: resource.bucket,
    prefix,
    key: keyed ? `${prefix}${requestedName}` : undefined,
    nodeName: requiredFieldValue(terms, NODE_NAME),
    everything: labels === undefined && fields.length === 0,
    matches: (entry) =>
      entry.key.startsWith(prefix) &&
      (labels === undefined || matchesLabels(labels, entry.object().metadata.labels)) &&
      fields.every((matches) => matches(entry)),
  };
}

function fieldPredicate(resource: ServedResource, { field, negated, value }: FieldTerm): (entry: Entry) => boolean {
  switch (field) {
    case 'metadata.name':
      return ({ key }) => (key.slice(key.indexOf('/') + 1) === value) !== negated;
    case 'metadata.namespace':
      return ({ key }) => (key.slice(0, Math.max(key.indexOf('/'), 0)) === value) !== negated;
    default: {
      const selectable = resource.definition.selectableFields?.[field];
      if (selectable === undefined) {
        throw badRequest(unknownField(resource, field));
      }
      const paths = [selectable].flat().map(fieldNamesOf);
      const textOf = (object: object) => paths.map((names) => textAt(object, names)).find((text) => text !== '');
      const unset = resource.definition.unsetFields?.[field] ?? '';
      return (entry) => ((textOf(resource.objectOf(entry)) ?? unset) === value) !== negated;
    }
  }
}

/** Kinds that define additional selectable fields have a different message. */
function unknownField({ definition }: ServedResource, field: string): string {
  if (Object.keys(definition.selectableFields ?? {}).length > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** A field's value for selectors: '' if it is not set. */
function textAt(object: object, names: readonly string[]): string {
  const value = getAt(object, names);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

const NODE_NAME_PATH = NODE_NAME.split('.');

/** The entry's `spec.nodeName`, '' if it has none. */
export function nodeNameOf(entry: Entry): string {
  return textAt(entry.object(), NODE_NAME_PATH);
}
