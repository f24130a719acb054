import { childPath, indexPath } from './field-path.ts';

/**
 * The paths of duplicate fields in a JSON text (`spec.replicas`), which JSON.parse accepts silently and `fieldValidation=Strict` rejects. The text
 * must be valid JSON: parse it first.
 */
export function duplicateFields(json: string): string[] {
  const scanner = new Scanner(json);
  scanner.value('');
  return scanner.duplicates;
}

export function duplicateFieldMessage(path: string): string {
  return `duplicate field "${path}"`;
}

const BLANK = /[ \t\n\r]*/y;
// oxlint-disable-next-line fairway/linear-regexps -- a text of valid JSON has an end
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

class Scanner {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(path: string): void {
    this.#skip(BLANK);
    switch (this.#text.charAt(this.#position)) {
      case '{':
        this.#object(path);
        break;
      case '[':
        this.#array(path);
        break;
      case '"':
        this.#skip(STRING);
        break;
      default:
        this.#skip(SCALAR);
    }
    this.#skip(BLANK);
  }

  #object(path: string): void {
    const seen = new Set<string>();
    while (!this.#closes('}')) {
      const text = this.#skip(STRING);
      const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
      const member = childPath(path, name);
      if (seen.has(name)) this.duplicates.push(member);
      seen.add(name);
      this.#skip(BLANK);
      this.#position++;
      this.value(member);
    }
  }

  #array(path: string): void {
    for (let index = 0; !this.#closes(']'); index++) this.value(indexPath(path, index));
  }

  /** Skips the opening bracket or a comma. If the end of the container follows, skips it too and returns true. */
  #closes(end: string): boolean {
    if (this.#text.charAt(this.#position) !== end) {
      this.#position++;
      this.#skip(BLANK);
      if (this.#text.charAt(this.#position) !== end) return false;
    }
    this.#position++;
    return true;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    if (found === '' && pattern !== BLANK) throw new SyntaxError(`not JSON at position ${this.#position}`);
    this.#position += found.length;
    return found;
  }
}
