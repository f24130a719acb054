import { isJsonArray, isJsonObject } from './json.ts';

/**
 * Maximum nesting of an external JSON value. Every walk over an object recurses per level: Node's stack overflows
 * at about 3,000 levels, and the deepest definitions in use (schemas of schemas) have about 80.
 */
export const MAX_DEPTH = 200;

/** Limits for a JSON value. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Approximate characters of the JSON: names and strings count in full, the rest by its minimum. */
  readonly maxChars: number;
  /** Overhead counted for each value, for memory limits; 0 by default. */
  readonly charsPerValue?: number;
  /** Maximum total number of members and items, each of which costs time to check and track. Unlimited by default. */
  readonly maxValues?: number;
}

/** The limit that was exceeded, and the start of the path to the value that exceeded it. */
export interface JsonExcess {
  readonly kind: 'depth' | 'size' | 'values';
  readonly path: string;
}

/** Maximum number of reported path segments. */
const MAX_PATH_NAMES = 4;

/**
 * The approximate length of a value's JSON, or the limit that it exceeds. Stops at the limits, so it is safe for
 * values with shared parts (YAML aliases), where a few objects can expand to the JSON of millions.
 */
export function measureJson(
  value: unknown,
  { maxDepth, maxChars, charsPerValue = 0, maxValues = Number.POSITIVE_INFINITY }: JsonBounds,
): number | JsonExcess {
  const walk = new Walk(maxChars, charsPerValue, maxValues);
  const kind = walk.excess(value, maxDepth);
  return kind === undefined ? maxChars - walk.charsLeft : { kind, path: walk.names.reverse().join('.') };
}

class Walk {
  charsLeft: number;
  /** Outermost last. */
  readonly names: string[] = [];

  readonly #charsPerValue: number;
  #valuesLeft: number;

  constructor(maxChars: number, charsPerValue: number, maxValues: number) {
    this.charsLeft = maxChars;
    this.#charsPerValue = charsPerValue;
    this.#valuesLeft = maxValues;
  }

  excess(value: unknown, depthLeft: number, level = 0): JsonExcess['kind'] | undefined {
    this.charsLeft -= this.#charsPerValue + (typeof value === 'string' ? value.length + 2 : 1);
    if (this.charsLeft < 0) return 'size';
    if (this.#valuesLeft-- <= 0) return 'values';
    if (isJsonArray(value)) {
      if (depthLeft === 0) return 'depth';
      for (let index = 0; index < value.length; index++) {
        this.charsLeft--;
        const kind = this.excess(value[index], depthLeft - 1, level + 1);
        if (kind !== undefined) return this.#at(level, String(index), kind);
      }
    } else if (isJsonObject(value)) {
      if (depthLeft === 0) return 'depth';
      for (const name in value) {
        this.charsLeft -= name.length + 4;
        const kind = this.excess(value[name], depthLeft - 1, level + 1);
        if (kind !== undefined) return this.#at(level, name, kind);
      }
    }
    return undefined;
  }

  #at(level: number, name: string, kind: JsonExcess['kind']): JsonExcess['kind'] {
    if (level < MAX_PATH_NAMES) this.names.push(name.slice(0, 64));
    return kind;
  }
}
