/** Paths of fields that occur twice in one object of the JSON text, which must be valid: `spec.containers[0].name`. */
export function duplicateFields(text: string): string[] {
  return new Scanner(text).scan();
}

/** What JSON.parse makes of the text loses duplicates, so only a text that is longer than its own rewriting can have them. */
export function mayHaveDuplicates(text: string, parsed: unknown): boolean {
  return JSON.stringify(parsed).length !== text.length;
}

class Scanner {
  readonly #text: string;
  readonly #found: string[] = [];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string[] {
    this.#value('');
    return this.#found;
  }

  #value(path: string): void {
    this.#skipSpace();
    switch (this.#text.charAt(this.#position)) {
      case '{':
        this.#object(path);
        break;
      case '[':
        this.#array(path);
        break;
      case '"':
        this.#string();
        break;
      default:
        while (this.#position < this.#text.length && !',]} \t\r\n'.includes(this.#text[this.#position] ?? ',')) {
          this.#position++;
        }
    }
    this.#skipSpace();
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#position++;
    this.#skipSpace();
    while (this.#position < this.#text.length && this.#text[this.#position] !== '}') {
      const key = JSON.parse(this.#string()) as string;
      const keyPath = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) this.#found.push(keyPath);
      seen.add(key);
      this.#skipSpace();
      this.#position++;
      this.#value(keyPath);
      if (this.#text[this.#position] === ',') this.#position++;
      this.#skipSpace();
    }
    this.#position++;
  }

  #array(path: string): void {
    this.#position++;
    this.#skipSpace();
    for (let index = 0; this.#position < this.#text.length && this.#text[this.#position] !== ']'; index++) {
      this.#value(`${path}[${index}]`);
      if (this.#text[this.#position] === ',') this.#position++;
      this.#skipSpace();
    }
    this.#position++;
  }

  /** Steps over a string and returns it, quotes included. */
  #string(): string {
    const start = this.#position++;
    while (this.#position < this.#text.length && this.#text[this.#position] !== '"') {
      this.#position += this.#text[this.#position] === '\\' ? 2 : 1;
    }
    this.#position++;
    return this.#text.slice(start, this.#position);
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#position] ?? '.')) this.#position++;
  }
}
