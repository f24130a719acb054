const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const METADATA_DEPTH = 2;
/** Longer than any name. */
const MAX_TEXT_BYTES = 512;

/** Finds `metadata.name` in an object's JSON that arrives in chunks of any size: only one string is buffered. */
export class NameScanner {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** Whether the next value belongs to the previous key. */
  #isValue = false;
  #text: number[] = [];
  #topKey = '';
  #key = '';
  #name: string | undefined;

  /** The name, once it has been found. */
  scan(chunk: Uint8Array): string | undefined {
    for (const byte of chunk) {
      if (this.#name !== undefined) break;
      if (this.#isText) this.#scanText(byte);
      else this.#onStructure(byte);
    }
    return this.#name;
  }

  #scanText(byte: number): void {
    if (byte === QUOTE && !this.#isEscaped) {
      this.#isText = false;
      this.#onTextEnd(Buffer.from(this.#text).toString());
      return;
    }
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (this.#depth <= METADATA_DEPTH && this.#text.length < MAX_TEXT_BYTES) this.#text.push(byte);
  }

  #onStructure(byte: number): void {
    if (byte === QUOTE) {
      this.#isText = true;
      this.#isEscaped = false;
      this.#text = [];
    } else if (byte === COLON) {
      this.#isValue = true;
    } else if (byte === COMMA) {
      this.#isValue = false;
    } else if (OPEN.has(byte)) {
      this.#depth++;
      this.#isValue = false;
    } else if (CLOSE.has(byte)) {
      this.#depth--;
    }
  }

  #onTextEnd(text: string): void {
    if (this.#depth === 1 && !this.#isValue) this.#topKey = text;
    if (this.#depth !== METADATA_DEPTH || this.#topKey !== 'metadata') return;
    if (!this.#isValue) this.#key = text;
    else if (this.#key === 'name') this.#name = text;
  }
}
