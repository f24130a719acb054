import { z } from 'zod';
import { invalidInput } from './magnum-error.ts';

const MAX_DEPTH = 8;
const MAX_LABELS = 100;

/** Labels as clients send them; numbers and booleans become strings, as in Magnum. */
export function labels() {
  return z
    .record(z.string().min(1).max(255), z.union([z.string().max(4096), z.number(), z.boolean()]).transform(String))
    .refine((value) => Object.keys(value).length <= MAX_LABELS, `must have at most ${MAX_LABELS} entries`);
}

/** An optional field. Clients also send null for it, and forms send an empty string. */
export function optional<T extends z.ZodType>(schema: T) {
  return fieldSchema(schema, (value) => value);
}

/** An optional number, which forms send as a string. */
export function optionalInt<T extends z.ZodType>(schema: T) {
  return fieldSchema(schema, numberOf);
}

/** A required number. */
export function int<T extends z.ZodType>(schema: T) {
  return z.unknown().transform(numberOf).pipe(schema);
}

/** An optional boolean; forms send it in Python's notation. */
export function optionalFlag() {
  return fieldSchema(z.boolean(), (value) => {
    if (typeof value !== 'string') return value;
    return /^true$/i.test(value) ? true : /^false$/i.test(value) ? false : value;
  });
}

function fieldSchema<T extends z.ZodType>(schema: T, read: (value: unknown) => unknown) {
  return z
    .unknown()
    .optional()
    .transform((value) => (value === '' ? undefined : read(value)))
    .pipe(schema.nullish())
    .transform((value) => value ?? undefined);
}

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?[0-9]{1,9}$/.test(value) ? Number(value) : value;
}

export const NAME = z
  .string()
  .min(1)
  .max(242)
  .regex(/^[a-zA-Z][a-zA-Z0-9_.-]*$/, 'must start with a letter and contain only letters, digits, "_", "." and "-"');

/** Parses the body; throws Magnum's 400. */
export function parseBody<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(jsonOf(text));
  if (result.success) return result.data;
  throw invalidInput(result.error.issues.slice(0, 10).map(problemOf).join('; '));
}

function problemOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, 10)
      .map((key) => `Unknown attribute: ${[...issue.path, key.slice(0, 80)].join('.')}`)
      .join('; ');
  }
  return `Invalid input for field/attribute ${path || 'body'}: ${issue.message}`;
}

/** Throws 400 for invalid JSON, and for excessive nesting. */
export function jsonOf(text: string): unknown {
  const value = parsed(text);
  if (depthOf(value, 0) > MAX_DEPTH) throw invalidInput('Invalid input: the body is nested too deeply');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    throw invalidInput('Invalid input: the body is not JSON');
  }
}

function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  let maxDepth = depth + 1;
  for (const item of Object.values(value)) maxDepth = Math.max(maxDepth, depthOf(item, depth + 1));
  return maxDepth;
}
