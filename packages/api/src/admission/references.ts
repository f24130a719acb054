import type { FieldError } from '@fairway/kube/object/field-error';
import { suggest } from '../domain/suggest.ts';

/** The one of `candidates` that has the id or the name, or undefined. */
export function findByIdOrName<T extends { readonly id: string; readonly name: string }>(
  candidates: readonly T[],
  idOrName: string,
): T | undefined {
  return candidates.find(({ id }) => id === idOrName) ?? candidates.find(({ name }) => name === idOrName);
}

/** The error of a field that names something that is not there. */
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

/** As `notFoundError`, for a field that takes an id: a name gets the id that was meant. */
export function idNotFoundError(
  field: string,
  value: string,
  what: string,
  candidates: readonly { readonly id: string; readonly name: string }[],
): FieldError {
  const listed = candidates.slice(0, 5).map(({ id, name }) => `${id} ("${name}")`);
  const hint = listed.length === 0 ? `there is none` : `there are ${listed.join(', ')}`;
  return { type: 'FieldValueNotFound', field, value, detail: `the cloud shows this project no such ${what}; ${hint}` };
}
