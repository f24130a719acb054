import { EVENT_ID, type Event, getScalarValue, type ParserOptions, parseEvents, SCALAR_STYLE } from 'js-yaml';

/** Limits on reported duplicates. */
const MAX_KEYS = 100;
const MAX_KEY_CHARS = 100;

/**
 * The keys that occur twice in one map of a YAML document, in the wording of Go's decoder, with the line of the later
 * value. Undefined if there are none. Throws a YAMLException for text that can't be parsed.
 */
export function duplicateKeysMessage(text: string, options: ParserOptions): string | undefined {
  const walk = new Walk(text, parseEvents(text, options));
  while (!walk.isDone) walk.node();
  const { found } = walk;
  if (found.length === 0) return undefined;
  const more = found.length > MAX_KEYS ? [`  and ${found.length - MAX_KEYS} more`] : [];
  return ['yaml: unmarshal errors:', ...found.slice(0, MAX_KEYS).map(lineOf), ...more].join('\n');
}

interface Duplicate {
  readonly key: string;
  readonly line: number;
}

function lineOf({ key, line }: Duplicate): string {
  const shown = key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
  return `  line ${line}: key ${JSON.stringify(shown)} already set in map`;
}

class Walk {
  readonly found: Duplicate[] = [];
  readonly #text: string;
  readonly #events: readonly Event[];
  #next = 0;
  /** Lines are counted up to this offset: events arrive in text order. */
  #counted = { position: 0, line: 1 };

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  get isDone(): boolean {
    return this.#next >= this.#events.length;
  }

  /** Skips a node and its content. Returns its text if it is a scalar, and its first line if known. */
  node(): { readonly scalar?: string; readonly line?: number } {
    const event = this.#events[this.#next++];
    switch (event?.type) {
      case EVENT_ID.SCALAR: {
        const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
        const hasPosition = event.valueStart >= 0 && !isBlock;
        return {
          scalar: getScalarValue(this.#text, event),
          ...(hasPosition && { line: this.#lineAt(event.valueStart) }),
        };
      }
      case EVENT_ID.MAPPING: {
        const line = this.#lineAt(event.start);
        this.#mapping();
        return { line };
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.DOCUMENT: {
        const line = event.type === EVENT_ID.SEQUENCE ? this.#lineAt(event.start) : 1;
        while (!this.#skipEnd()) this.node();
        return { line };
      }
      case EVENT_ID.ALIAS:
      case EVENT_ID.POP:
      case undefined:
        return {};
    }
  }

  #mapping(): void {
    const seen = new Set<string>();
    while (!this.#skipEnd()) {
      const key = this.node();
      const value = this.node();
      if (key.scalar === undefined) continue;
      if (seen.has(key.scalar)) this.found.push({ key: key.scalar, line: value.line ?? key.line ?? 0 });
      seen.add(key.scalar);
    }
  }

  /** Skips the end of the current collection. Returns false if the collection has more items. */
  #skipEnd(): boolean {
    const event = this.#events[this.#next];
    if (event !== undefined && event.type !== EVENT_ID.POP) return false;
    this.#next++;
    return true;
  }

  #lineAt(position: number): number {
    let { position: at, line } = this.#counted;
    for (let end = this.#text.indexOf('\n', at); end >= 0 && end < position; end = this.#text.indexOf('\n', at)) {
      line++;
      at = end + 1;
    }
    this.#counted = { position: at, line };
    return line;
  }
}
