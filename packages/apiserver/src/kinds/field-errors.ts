import type { FieldError } from '@fairway/kube/object/field-error';

/** Field errors in the wording of apimachinery's `field` package. */

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, detail };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, value, detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field, value, detail: '' };
}

export function unknownName(field: string, value: unknown): FieldError {
  return { type: 'FieldValueNotFound', field, value, detail: '' };
}

/** An error for an unsupported value; `supported` is in upstream's order. */
export function unsupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((name) => JSON.stringify(name));
  return { type: 'FieldValueNotSupported', field, value, detail: `supported values: ${list.join(', ')}` };
}

/** One `Invalid value` for each error of a validator of `object/names.ts`. */
export function invalidName(field: string, value: string, messages: readonly string[]): FieldError[] {
  return messages.map((detail) => invalidValue(field, value, detail));
}

/** An error unless `value` is one of `supported`; missing values are `required` when `isRequired`. */
export function oneOf(
  field: string,
  value: string | undefined,
  supported: readonly string[],
  isRequired = false,
): FieldError[] {
  if (value === undefined || value === '') return isRequired ? [required(field)] : [];
  return supported.includes(value) ? [] : [unsupported(field, value, supported)];
}

/** An error for a negative number; a missing one is valid. */
export function nonNegative(field: string, value: number | undefined): FieldError[] {
  return value === undefined || value >= 0 ? [] : [invalidValue(field, value, 'must be greater than or equal to 0')];
}

export function positive(field: string, value: number | undefined): FieldError[] {
  return value === undefined || value > 0 ? [] : [invalidValue(field, value, 'must be greater than 0')];
}

/** Same rule as `validation.IsValidPortNum`. */
export function portNumber(field: string, value: number): FieldError[] {
  const isPort = Number.isInteger(value) && value >= 1 && value <= 65_535;
  return isPort ? [] : [invalidValue(field, value, 'must be between 1 and 65535, inclusive')];
}

/** Errors for values that occur more than once; `field` returns the path of the value at an index. */
export function duplicates(values: readonly string[], field: (index: number) => string): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) errors.push(duplicate(field(index), value));
    seen.add(value);
  }
  return errors;
}
