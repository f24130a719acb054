import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1035LabelErrors } from '@fairway/kube/object/names';
import { childPath } from './field-path.ts';

/** Checks that an embedded resource has apiVersion and kind. Its metadata is checked by its schema. */
export function validateEmbedded(object: Readonly<Record<string, unknown>>, path: string, errors: FieldError[]): void {
  for (const name of ['apiVersion', 'kind']) {
    const field = childPath(path, name);
    const value = object[name];
    if (value === undefined) errors.push({ type: 'FieldValueRequired', field, detail: '' });
    else if (value === '') errors.push({ type: 'FieldValueInvalid', field, value, detail: 'must not be empty' });
  }
  const { apiVersion, kind } = object;
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    const detail = `unexpected GroupVersion string: ${apiVersion}`;
    errors.push({ type: 'FieldValueInvalid', field: childPath(path, 'apiVersion'), value: apiVersion, detail });
  }
  if (typeof kind !== 'string' || kind === '') return;
  const wrong = dns1035LabelErrors(kind.toLowerCase());
  if (wrong.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
    errors.push({ type: 'FieldValueInvalid', field: childPath(path, 'kind'), value: kind, detail });
  }
}
