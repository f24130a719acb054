import type { FieldError } from '@fairway/kube/object/field-error';
import { suggest } from '../domain/suggest.ts';

/** The candidate with this id or name, or undefined. */
export function findByIdOrName<T extends { readonly id: string; readonly name: string }>(
  candidates: readonly T[],
  idOrName: string,
): T | undefined {
  return candidates.find(({ id }) => id === idOrName) ?? candidates.find(({ name }) => name === idOrName);
}

/** The error for a field that refers to something that does not exist. */
export function notFoundError(
  field: string,
  value: string,
  what: string,
  candidates: readonly { readonly name: string }[],
): FieldError {
  const names = [...new Set(candidates.map(({ name }) => name))].sort();
  const hint = suggest(value, names);
  const detail = `the cloud offers this project no such ${what}${hint === '' ? '' : `; ${hint}`}`;
  return { type: 'FieldValueNotFound', field, value, detail };
}

/** Like `notFoundError`, for a field that requires an id: if the value is a name, the message suggests the ID. */
export function idNotFoundError(
  field: string,
  value: string,
  what: string,
  candidates: readonly { readonly id: string; readonly name: string }[],
): FieldError {
  const listed = candidates.slice(0, 5).map(({ id, name }) => `${id} ("${name}")`);
  const hint =
    listed.length === 0 ? `there is none` : `there ${listed.length === 1 ? 'is' : 'are'} ${listed.join(', ')}`;
  return {
    type: 'FieldValueNotFound',
    field,
    value,
    detail: `the cloud has no such ${what} for this project; ${hint}`,
  };
}
