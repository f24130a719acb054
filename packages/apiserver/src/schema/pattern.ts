import { RE2JS, RE2JSException } from 're2js';

/** A regular expression in Go's syntax. Matching takes time linear in the length of the text, for any expression. */
export interface Pattern {
  /** Number of instructions of the compiled expression, which is the maximum cost per character of input. */
  readonly size: number;
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** At most `limit` matches, from the left. */
  findAll(text: string, limit: number): string[];
}

/** Thrown for a pattern that is too large, or that Go would reject, in which case the message is Go's. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Maximum lengths: patterns in well-known definitions have up to 600 characters, and a repetition of a thousand has
 * 2,000 instructions.
 */
const MAX_PATTERN_CHARS = 4096;
const MAX_INSTRUCTIONS = 5000;

/** Cache size: a compiled pattern takes up to 3 MB while matching. */
const MAX_CACHED = 100;
const MAX_CACHED_INSTRUCTIONS = 20_000;

/** Least recently used first. */
const cached = new Map<string, Pattern>();
let cachedInstructions = 0;

/** Returns the compiled pattern, cached or new. Throws a PatternError. */
export function compilePattern(text: string): Pattern {
  const known = cached.get(text);
  if (known !== undefined) cached.delete(text);
  const pattern = known ?? compile(text);
  if (known === undefined) cachedInstructions += pattern.size;
  cached.set(text, pattern);
  for (const [oldest, { size }] of cached) {
    if (cached.size <= MAX_CACHED && cachedInstructions <= MAX_CACHED_INSTRUCTIONS) break;
    cached.delete(oldest);
    cachedInstructions -= size;
  }
  return pattern;
}

/** Like compilePattern; undefined for patterns that Go would reject. */
export function tryCompilePattern(text: string): Pattern | undefined {
  try {
    return compilePattern(text);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

export function isCompiled(text: string): boolean {
  return cached.has(text);
}

function compile(text: string): Pattern {
  if (text.length > MAX_PATTERN_CHARS) {
    throw new PatternError(`the pattern has ${text.length} characters, the limit is ${MAX_PATTERN_CHARS}`);
  }
  const expression = parse(text);
  const size = expression.programSize();
  if (size > MAX_INSTRUCTIONS) {
    const detail = `the pattern compiles to ${size} instructions, the limit is ${MAX_INSTRUCTIONS}: repeat less in it`;
    throw new PatternError(detail);
  }
  return {
    size,
    test: (value) => expression.test(value),
    findAll(value, limit) {
      const found: string[] = [];
      for (const [match] of expression.matchAll(value)) {
        if (found.length >= limit) break;
        found.push(match ?? '');
      }
      return found;
    },
  };
}

function parse(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message);
    throw error;
  }
}
