import type { z } from 'zod';
import { ApiError } from './api.ts';

/** A value in Python's repr format, which OpenStack's error messages use. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
    return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
  }
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, item]) => `${pythonRepr(key)}: ${pythonRepr(item)}`);
    return `{${entries.join(', ')}}`;
  }
  return `${value as number}`;
}

/**
 * Validates a body against a schema. The 400 has the same wording as in Nova and Keystone, which use the messages of
 * Python's jsonschema: `Invalid input for field/attribute name. Value: . '' is too short`.
 */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { text, place, value } = schemaErrorOf(parsed.error, body);
  if (place === undefined) throw new ApiError(400, text);
  const printed = typeof value === 'string' ? value : pythonRepr(value);
  throw new ApiError(400, `Invalid input for field/attribute ${String(place)}. Value: ${printed}. ${text}`);
}

export interface ValidationError {
  /** Message of Python's jsonschema: `'' is too short`. */
  readonly text: string;
  /** Path of the invalid object or value; for a missing field, path of the object that lacks it. */
  readonly path: readonly PropertyKey[];
  /** The last path segment; undefined if the whole body is invalid. */
  readonly place: PropertyKey | undefined;
  readonly value: unknown;
  /** Name of the missing field. */
  readonly missing?: string;
}

/** The first error, with the wording of Python's jsonschema. */
export function schemaErrorOf(error: z.ZodError, body: unknown): ValidationError {
  const issue = error.issues[0];
  if (issue === undefined) return { text: 'Malformed request body', path: [], place: undefined, value: body };
  const isMissing = OPTIONAL_CODES.has(issue.code) && issue.input === undefined && issue.path.length > 0;
  const isUnknownField = issue.code === 'invalid_type' && issue.expected === 'never';
  const path = isMissing || isUnknownField ? issue.path.slice(0, -1) : issue.path;
  const value = valueAt(body, path);
  const last = pythonRepr(String(issue.path.at(-1)));
  const text = isMissing
    ? `${last} is a required property`
    : isUnknownField
      ? `Additional properties are not allowed (${last} was unexpected)`
      : describe(issue, value);
  return { text, path, place: path.at(-1), value, ...(isMissing && { missing: String(issue.path.at(-1)) }) };
}

const OPTIONAL_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_union', 'invalid_value']);

/** The value at a path of the body; undefined if it does not exist. */
export function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  const printed = pythonRepr(value);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const keys = issue.keys.map(pythonRepr).join(', ');
      return `Additional properties are not allowed (${keys} ${issue.keys.length === 1 ? 'was' : 'were'} unexpected)`;
    }
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `${printed} is too short`
        : `${printed} is less than the minimum of ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `${printed} is too long`
        : `${printed} is greater than the maximum of ${issue.maximum}`;
    case 'invalid_type':
      return `${printed} is not of type ${pythonRepr(jsonTypes[issue.expected] ?? issue.expected)}`;
    case 'invalid_value':
      return `${printed} is not one of ${pythonRepr(issue.values)}`;
    case 'invalid_format':
      return `${printed} ${issue.pattern === undefined ? `is not a ${pythonRepr(issue.format)}` : `does not match ${pythonRepr(issue.pattern.replace(/^\/|\/$/g, ''))}`}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return issue.message === 'Invalid input'
        ? `${printed} is not valid under any of the given schemas`
        : issue.message;
  }
}

const jsonTypes: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };
