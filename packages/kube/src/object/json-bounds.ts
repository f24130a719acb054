import { isJsonArray, isJsonObject } from './json.ts';

/**
 * Levels of nesting that a JSON value from outside may have. Every walk over an object calls itself for each level: some 3,000
 * levels are the end of Node's stack, and the deepest definitions in use (schemas of schemas) have about 80.
 */
export const MAX_DEPTH = 200;

/** How much a value may be. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Characters of its JSON, about: names and texts count in full, the rest by its fewest characters. */
  readonly maxChars: number;
}

/** What a value has too much of, and where it was found: the first names on the way there. */
export interface JsonExcess {
  readonly kind: 'depth' | 'size';
  readonly path: string;
}

/** How many names of a path tell where something is. */
const MAX_PATH_NAMES = 4;

/**
 * The characters of a value's JSON, about, or what of it is beyond the bounds. Looks no further than the bounds, so it is safe
 * for values whose parts are shared (YAML aliases), of which a few objects can have the JSON of millions.
 */
export function measureJson(value: unknown, { maxDepth, maxChars }: JsonBounds): number | JsonExcess {
  const walk = new Walk(maxChars);
  const kind = walk.excess(value, maxDepth);
  return kind === undefined ? maxChars - walk.charsLeft : { kind, path: walk.names.reverse().join('.') };
}

class Walk {
  charsLeft: number;
  /** Outermost last. */
  readonly names: string[] = [];

  constructor(maxChars: number) {
    this.charsLeft = maxChars;
  }

  excess(value: unknown, depthLeft: number, level = 0): JsonExcess['kind'] | undefined {
    this.charsLeft -= typeof value === 'string' ? value.length + 2 : 1;
    if (this.charsLeft < 0) return 'size';
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
