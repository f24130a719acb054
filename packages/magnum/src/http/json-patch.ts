import { z } from 'zod';
import { parseBody } from './body.ts';
import { invalidInput } from './magnum-error.ts';

const MAX_OPERATIONS = 50;

/** A JSON patch as Magnum takes it: no `move`, `copy`, `test`. */
const Patch = z
  .array(
    z.strictObject({
      op: z.enum(['add', 'replace', 'remove']),
      path: z
        .string()
        .max(255)
        .regex(/^(\/[\w.-]+)+$/, 'must be a path such as /node_count'),
      value: z.unknown().optional(),
    }),
  )
  .max(MAX_OPERATIONS);
export type JsonPatch = readonly {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}[];

/** The patch of a request; a form in which nothing was changed sends none. Throws 400 in Magnum's words. */
export function parsePatch(body: string): JsonPatch {
  return parseBody(Patch, body === '' ? '[]' : body);
}

/** A number that clients also send as text. */
export function wholeNumber(path: string, value: unknown): number {
  const number = typeof value === 'string' && /^-?[0-9]{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw invalidInput(`Invalid input for field/attribute ${path.slice(1)}: it must be a whole number`);
}

/** A map or list that clients also send as text, JSON or as Python prints it: `{'a': True}`. */
export function structure(path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const text of [value, pythonAsJson(value)]) {
    try {
      return JSON.parse(text);
    } catch {
      // The next form.
    }
  }
  throw invalidInput(`Couldn't apply patch. Reason: the value of ${path} is neither JSON nor a Python literal`);
}

/** Of strings, numbers, True, False and None, in maps and lists. */
function pythonAsJson(text: string): string {
  return text.replace(/'((?:[^'\\]|\\.)*)'|"(?:[^"\\]|\\.)*"|\b(?:True|False|None)\b/g, (token, single?: string) => {
    if (single !== undefined) return JSON.stringify(single.replace(/\\'/g, "'"));
    return token === 'True' ? 'true' : token === 'False' ? 'false' : token === 'None' ? 'null' : token;
  });
}
