import type { FieldError } from '@fairway/kube/object/field-error';
import { canonicalJson, isJsonArray, isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import { hasFormat } from './formats.ts';
import { tryCompilePattern } from './pattern.ts';
import type { Schema } from './schema.ts';

/**
 * Checks a schema's rules for a value itself, but not for its parts. Returns false if the value has the wrong type, in
 * which case further checks make no sense. Messages are kube-openapi's (pkg/validation/errors).
 */
export function validateValue(value: unknown, schema: Schema, path: string, errors: FieldError[]): boolean {
  const wrongType = typeError(value, schema, path);
  if (wrongType !== undefined) {
    errors.push(wrongType);
    return false;
  }
  const add = (detail: string) => {
    errors.push({ type: 'FieldValueInvalid', field: path, value, detail: `${path} in body ${detail}` });
  };
  if (schema.enum !== undefined && !schema.enum.some((allowed) => jsonEqual(allowed, value))) {
    errors.push(unsupported(value, schema.enum, path));
  }
  if (typeof value === 'string') checkText(value, schema, path, errors, add);
  else if (typeof value === 'number') checkNumber(value, schema, add);
  else if (isJsonArray(value)) checkArray(value, schema, path, errors, add);
  else if (isJsonObject(value)) checkSize(Object.keys(value).length, schema, path, errors);
  return true;
}

type AddError = (detail: string) => void;

function typeError(value: unknown, schema: Schema, path: string): FieldError | undefined {
  const found = typeOf(value);
  const expectedType = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type;
  if (expectedType === undefined) return undefined;
  const isValid =
    expectedType === 'integer,string'
      ? found === 'string' || found === 'integer'
      : found === expectedType || (expectedType === 'number' && found === 'integer');
  if (isValid) return undefined;
  return {
    type: 'FieldValueTypeInvalid',
    field: path === '' ? '<nil>' : path,
    value: found,
    detail: `${path} in body must be of type ${expectedType}: "${found}"`,
  };
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (isJsonArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function unsupported(value: unknown, allowed: readonly unknown[], path: string): FieldError {
  const quoted = allowed.map((item) => JSON.stringify(typeof item === 'string' ? item : canonicalJson(item)));
  return { type: 'FieldValueNotSupported', field: path, value, detail: `supported values: ${quoted.join(', ')}` };
}

function checkText(text: string, schema: Schema, path: string, errors: FieldError[], add: AddError): void {
  const { minLength, maxLength, pattern, format, 'x-pattern-message': words } = schema;
  if (words !== undefined && !matchesPatternAndFormat(text, schema)) {
    errors.push({ type: 'FieldValueInvalid', field: path, value: text, detail: words });
    return;
  }
  if (minLength !== undefined || maxLength !== undefined) {
    const length = Array.from(text).length;
    if (maxLength !== undefined && length > maxLength) {
      const detail = `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`;
      errors.push({ type: 'FieldValueTooLong', field: path, detail });
    }
    if (minLength !== undefined && length < minLength) add(`should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined) {
    const expression = tryCompilePattern(pattern);
    // Validation rejects these now, but older stored definitions may still contain one.
    if (expression === undefined) add(`cannot be checked: '${pattern}' is not a valid Go regular expression`);
    else if (!expression.test(text)) add(`should match '${pattern}'`);
  }
  if (format !== undefined && !hasFormat(text, format)) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text)}`;
    errors.push({ type: 'FieldValueTypeInvalid', field: path, value: text, detail });
  }
}

/** Whether a string matches its pattern and its format. */
function matchesPatternAndFormat(text: string, { pattern = '', format }: Schema): boolean {
  const matchesPattern = tryCompilePattern(pattern)?.test(text) ?? true;
  return matchesPattern && (format === undefined || hasFormat(text, format));
}

function checkNumber(value: number, schema: Schema, add: AddError): void {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  if (maximum !== undefined) {
    if (exclusiveMaximum === true && value >= maximum) add(`should be less than ${maximum}`);
    else if (value > maximum) add(`should be less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (exclusiveMinimum === true && value <= minimum) add(`should be greater than ${minimum}`);
    else if (value < minimum) add(`should be greater than or equal to ${minimum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) add(`should be a multiple of ${multipleOf}`);
}

function checkArray(
  items: readonly unknown[],
  schema: Schema,
  path: string,
  errors: FieldError[],
  add: AddError,
): void {
  const { minItems, maxItems } = schema;
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(items.length, maxItems, path));
  if (minItems !== undefined && items.length < minItems)
    errors.push(tooFewError(items.length, `${minItems} items`, path));
  if (schema.uniqueItems && new Set(items.map(canonicalJson)).size < items.length) add("shouldn't contain duplicates");
}

function checkSize(size: number, schema: Schema, path: string, errors: FieldError[]): void {
  const { minProperties, maxProperties } = schema;
  if (maxProperties !== undefined && size > maxProperties) errors.push(tooMany(size, maxProperties, path));
  if (minProperties !== undefined && size < minProperties) {
    errors.push(tooFewError(size, `${minProperties} properties`, path));
  }
}

function tooMany(actual: number, max: number, path: string): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { type: 'FieldValueTooMany', field: path, value: actual, detail };
}

/** The error's value is the number of items, as in kube-openapi. */
function tooFewError(actual: number, least: string, path: string): FieldError {
  const detail = `${path} in body should have at least ${least}`;
  return { type: 'FieldValueInvalid', field: path, value: actual, detail };
}
