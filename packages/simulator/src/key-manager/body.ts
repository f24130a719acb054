import { z } from 'zod';
import type { ApiError, ApiRequest } from '../http/api.ts';
import { pythonRepr, schemaErrorOf } from '../http/parse-body.ts';
import { refuse, wrongMediaType } from './problem.ts';

/** Barbican truncates JSON bodies at this length, which makes longer ones malformed. */
const MAX_JSON_BYTES = 25_000;

/** The media type of a request's body, without its parameters. */
export function mediaType({ headers }: ApiRequest): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export interface Form<S extends z.ZodType> {
  /** Name of the form in messages. */
  readonly name: string;
  readonly schema: S;
  /** Whether messages name a missing field of the body; messages of newer schemas do not. */
  readonly listsMissing?: true;
}

/** Reads a JSON body that matches the form, and trims its strings. */
export function readJson<S extends z.ZodType>(request: ApiRequest, form: Form<S>): z.infer<S> {
  if (mediaType(request) !== 'application/json') throw wrongMediaType(['application/json']);
  return readAnyJson(request, form);
}

/** Reads a JSON body that matches the form, regardless of the media type. */
export function readAnyJson<S extends z.ZodType>(
  request: ApiRequest,
  { name, schema, listsMissing }: Form<S>,
): z.infer<S> {
  const body = trimmed(parse(request.rawBody));
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { text, path, missing } = schemaErrorOf(parsed.error, body);
  throw mismatch(name, text, path[0] ?? (listsMissing ? missing : undefined));
}

/**
 * The error for a body that does not match a schema. `reason` is in Barbican's wording; `field` is the invalid field,
 * if any.
 */
export function mismatch(form: string, reason: string, field: PropertyKey | undefined): ApiError {
  return refuse(
    400,
    `Provided object does not match schema '${form}': ${reason}. Invalid property: '${String(field ?? 'None')}'`,
  );
}

export function unsupportedValue(): ApiError {
  return refuse(400, 'Provided field value is not supported');
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.subarray(0, MAX_JSON_BYTES).toString());
  } catch {
    throw refuse(400, 'Malformed JSON');
  }
}

function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item.trim() : trimmed(item)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typeof item === 'string' ? item.trim() : trimmed(item)]),
  );
}

/** A string or null, printed in Python syntax in messages. */
export const NullableText = z
  .custom<string | null>((value) => value === null || typeof value === 'string', {
    error: ({ input }) => `${pythonRepr(input)} is not of type 'string', 'null'`,
  })
  .refine((value) => (value?.length ?? 0) <= 255, { error: ({ input }) => `${pythonRepr(input)} is too long` });

/** An integer, printed in Python syntax in messages. */
export const Integer = z.custom<number>((value) => Number.isInteger(value), {
  error: ({ input }) => `${pythonRepr(input)} is not of type 'integer'`,
});
