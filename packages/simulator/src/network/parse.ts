import type { z } from 'zod';
import { pythonRepr } from '../http/parse-body.ts';
import { badRequest, invalidInput } from './problem.ts';

/** Parses the attributes of one object, with Neutron's error messages. */
export function parseAttributes<S extends z.ZodObject>(
  schema: S,
  attributes: unknown,
  options: { readonly readOnly?: readonly string[] } = {},
): z.infer<S> {
  const parsed = schema.safeParse(attributes, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue;
    const readOnly = issue.keys.find((key) => options.readOnly?.includes(key));
    if (readOnly !== undefined) throw badRequest(`Cannot update read-only attribute ${readOnly}`);
    throw badRequest(`Unrecognized attribute(s) '${issue.keys.join(', ')}'`);
  }
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? 'body');
  if (issue !== undefined && issue.input === undefined && issue.path.length === 1) {
    throw badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
  }
  if (issue?.code === 'invalid_type' && issue.expected === 'never') {
    throw badRequest(`Attribute '${name}' not allowed in POST`);
  }
  const value = (attributes as Readonly<Record<string, unknown>>)[name];
  if (issue?.code === 'invalid_type' && issue.expected === 'boolean') {
    throw invalidInput(`${pythonRepr(value)} cannot be converted to boolean`);
  }
  throw badRequest(`Invalid input for ${name}. Reason: ${reason(issue, value)}.`);
}

function reason(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  const printed = pythonRepr(value);
  if (issue === undefined) return `${printed} is not valid`;
  switch (issue.code) {
    case 'invalid_type':
      return `${printed} is not a valid ${issue.expected}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `${printed} exceeds maximum length of ${issue.maximum}`
        : `${printed} is too large - must be no larger than '${issue.maximum}'`;
    case 'too_small':
      return `${printed} is too small - must be at least '${issue.minimum}'`;
    case 'invalid_value':
      // Neutron's message omits the valid values.
      return `${typeof value === 'string' ? value : printed} is not in valid_values`;
    case 'custom':
      return `${printed} ${issue.message}`;
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return `${printed} is not valid`;
  }
}
