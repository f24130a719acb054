import { ApiError } from './api-error.ts';

/** apimachinery's `field.ErrorType`: the reason of a cause. */
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

/** One thing wrong with an object: where, what was found, and what would be right. */
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

/** The text after the field path, as apimachinery's `field.Error.ErrorBody` words it. */
export function fieldErrorBody(error: FieldError): string {
  const valueless = error.type === 'FieldValueRequired' || error.type === 'FieldValueForbidden';
  const value = valueless || error.value === undefined ? '' : `: ${JSON.stringify(error.value)}`;
  return `${TITLES[error.type]}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** 422 Invalid for an object of `kind`, with one cause per field error. */
export function invalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]): ApiError {
  const lines = errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
  const detail = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${detail}`, {
    subject: { group: kind.group, resource: kind.kind, name },
    causes: errors.map((error) => ({ reason: error.type, message: fieldErrorBody(error), field: error.field })),
  });
}
