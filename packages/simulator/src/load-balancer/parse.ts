import type { z } from 'zod';
import { ApiError } from '../http/api.ts';
import { pythonRepr, valueAt } from '../http/parse-body.ts';

/**
 * Parses a body such as `{"listener": {...}}`, with WSME's messages. `argument` is the name of the parameter in Octavia's
 * code, which the messages show.
 */
export function parse<S extends z.ZodType>(schema: S, body: unknown, argument: string): z.infer<S> {
  if (body === undefined) throw new ApiError(400, `Missing argument: "${argument}"`);
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown?.code === 'unrecognized_keys') {
    const place = [argument, ...unknown.path.filter((key) => typeof key === 'string')].join('.');
    const plural = unknown.keys.length > 1 ? 's' : '';
    throw new ApiError(400, `Unknown attribute${plural} for argument ${place}: ${unknown.keys.join(', ')}`);
  }
  const [issue] = issues;
  if (issue === undefined) throw new ApiError(400, 'Request is not in valid JSON format');
  const depth = issue.path.findLastIndex((key) => typeof key === 'string');
  const field = String(issue.path[depth] ?? argument);
  const value = valueAt(body, issue.path.slice(0, depth + 1));
  if (issue.input === undefined) throw invalidInput(field, undefined, 'Mandatory field missing.');
  throw invalidInput(field, value, issue.message);
}

export function invalidInput(field: string, value: unknown, message: string): ApiError {
  const printed = typeof value === 'string' ? value : pythonRepr(value);
  return new ApiError(400, `Invalid input for field/attribute ${field}. Value: '${printed}'. ${message}`);
}
