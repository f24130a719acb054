import type { FieldError, FieldErrorType } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { z } from 'zod';
import type { Kind } from '../kinds/kind.ts';

export type Parsed<T> =
  | { readonly ok: true; readonly object: T }
  | { readonly ok: false; readonly errors: FieldError[] };

/** Sets defaults and validates against the schema, for objects read from files, which no API server has validated. */
export function parseObject<T extends KubeObject>(
  kind: Kind<T>,
  object: { metadata: T['metadata']; spec?: unknown },
): Parsed<T> {
  const result = kind.spec.safeParse(object.spec ?? {}, { reportInput: true });
  if (!result.success) return { ok: false, errors: result.error.issues.map(fieldErrorOf) };
  const typeMeta = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
  // T's spec type is inferred from the schema that has just parsed the spec.
  return { ok: true, object: { ...typeMeta, ...object, spec: result.data } as unknown as T };
}

/** Validates what a structural schema cannot express, such as a network's host bits. */
export function refinementErrors(kind: Kind, object: KubeObject): FieldError[] {
  const result = kind.spec.safeParse((object as { spec?: unknown }).spec, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.filter(({ code }) => code === 'custom').map(fieldErrorOf);
}

function fieldErrorOf(issue: z.core.$ZodIssue): FieldError {
  const field = fieldPath(['spec', ...issue.path]);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  if (isMissing) return { type: 'FieldValueRequired', field, detail: '' };
  return { type: errorType(issue), field, value: issue.input, detail: detailOf(issue) };
}

function errorType(issue: z.core.$ZodIssue): FieldErrorType {
  if (issue.code === 'invalid_type') return 'FieldValueTypeInvalid';
  if (issue.code === 'invalid_value') return 'FieldValueNotSupported';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'FieldValueTooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'FieldValueTooMany';
  return 'FieldValueInvalid';
}

function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value')
    return `supported values: ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return issue.message;
}

/** Formats `['spec', 'taints', 0, 'key']` as kubectl does. */
export function fieldPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else path += path === '' ? String(segment) : `.${String(segment)}`;
  }
  return path;
}
