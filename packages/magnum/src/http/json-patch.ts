import { z } from 'zod';
import { parseBody } from './body.ts';
import { invalidInput } from './magnum-error.ts';

const MAX_OPERATIONS = 50;

/** A JSON patch as Magnum accepts it: without `move`, `copy` and `test`. */
const Patch = z
  .array(
    z.strictObject({
      op: z.enum(['add', 'replace', 'remove']),
      path: z
        .string()
        .max(255)
        .regex(/^(\/[\w.-]+)+$/, 'must be a path, for example /node_count'),
      value: z.unknown().optional(),
    }),
  )
  .max(MAX_OPERATIONS);
export type JsonPatch = readonly {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}[];

/** Parses the patch in a request; a form without changes sends an empty one. Throws Magnum's 400. */
export function parsePatch(body: string): JsonPatch {
  return parseBody(Patch, body === '' ? '[]' : body);
}

/** A number, which clients also send as a string. */
export function wholeNumber(path: string, value: unknown): number {
  const number = typeof value === 'string' && /^-?[0-9]{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw invalidInput(`Invalid input for field/attribute ${path.slice(1)}: it must be a whole number`);
}

/** A map or list, which clients also send as a string, in JSON or Python notation: `{'a': True}`. */
export function parseStructure(path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const text of [value, pythonToJson(value)]) {
    try {
      return JSON.parse(text);
    } catch {
      // Continue with the next notation.
    }
  }
  throw invalidInput(`Couldn't apply patch. Reason: the value of ${path} is neither JSON nor a Python literal`);
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

/** Converts Python literals of strings, numbers, True, False and None, in maps and lists. Reads each character once. */
function pythonToJson(text: string): string {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    const isClosed = end <= text.length;
    if (token.startsWith("'") && isClosed) tokens.push(JSON.stringify(token.slice(1, -1).replaceAll("\\'", "'")));
    else tokens.push(Object.hasOwn(PYTHON_WORDS, token) ? (PYTHON_WORDS[token] ?? token) : token);
    at = end;
  }
  return tokens.join('');
}

/** Position after the string, word or character at `start`; after the end of the text for an unterminated string. */
function endOfToken(text: string, start: number): number {
  const first = text.charAt(start);
  let end = start + 1;
  if (first === "'" || first === '"') {
    while (end < text.length && text.charAt(end) !== first) end += text.charAt(end) === '\\' ? 2 : 1;
    return end + 1;
  }
  while (isWordCharacter(first) && isWordCharacter(text.charAt(end))) end++;
  return end;
}

function isWordCharacter(char: string): boolean {
  return /^\w$/.test(char);
}
