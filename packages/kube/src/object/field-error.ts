import { ApiError } from './api-error.ts';
import { isJsonArray } from './json.ts';
import { measureJson } from './json-bounds.ts';

/** apimachinery's `field.ErrorType`: the `reason` of a StatusCause. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One validation error: the field, the value, and what would be valid. */
export interface FieldError {
  type: FieldErrorType;
  /** Path as kubectl prints it: `spec.pools[0].name`. */
  field: string;
  /** The offending value; left out for required and forbidden fields. */
  value?: unknown;
  detail: string;
}

const TITLES: Record<FieldErrorType, string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/** The text after the field path, worded like apimachinery's `field.Error.ErrorBody`. */
export function fieldErrorBody(error: FieldError): string {
  const omitsValue = error.type === 'FieldValueRequired' || error.type === 'FieldValueForbidden';
  const value = omitsValue || error.value === undefined ? '' : `: ${quoted(error.value)}`;
  return `${TITLES[error.type]}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** Limits for an error response. A body of 3 MiB can cause a million errors, each quoting a large value. */
const MAX_ERRORS = 100;
const MAX_QUOTED_CHARS = 1024;
const MAX_NAME_CHARS = 253;

/** The value as JSON, truncated if it is long. */
function quoted(value: unknown): string {
  const isShort = typeof measureJson(value, { maxDepth: 20, maxChars: MAX_QUOTED_CHARS }) === 'number';
  if (isShort) return JSON.stringify(value);
  return `${JSON.stringify(truncateValue(value, 3)).slice(0, MAX_QUOTED_CHARS)}…`;
}

function truncateValue(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_QUOTED_CHARS);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (isJsonArray(value)) return value.slice(0, 5).map((item) => truncateValue(item, levels - 1));
  const members: [string, unknown][] = [];
  for (const name in value) {
    if (
      members.push([
        name.slice(0, MAX_NAME_CHARS),
        truncateValue((value as Record<string, unknown>)[name], levels - 1),
      ]) === 5
    )
      break;
  }
  return Object.fromEntries(members);
}

/** 422 Invalid for an object of `kind`, with one cause per field error, up to a hundred. */
export function invalid(kind: { group: string; kind: string }, name: string, all: readonly FieldError[]): ApiError {
  const errors = all.slice(0, MAX_ERRORS);
  const bodies = errors.map(fieldErrorBody);
  const lines = errors.map((error, index) => `${error.field}: ${bodies[index]}`);
  if (all.length > MAX_ERRORS) lines.push(`and ${all.length - MAX_ERRORS} more errors`);
  const detail = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const truncated = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${truncated}" is invalid: ${detail}`, {
    subject: { group: kind.group, resource: kind.kind, name: truncated },
    causes: errors.map((error, index) => ({ reason: error.type, message: bodies[index] ?? '', field: error.field })),
  });
}
