import type { ServerResponse } from 'node:http';

/** What is handed to a connection at a time: TLS encrypts all that it gets at once, into memory of its own. */
const SLICE_BYTES = 32 * 1024;

/** What is left of something large. */
interface Piece {
  readonly bytes: Uint8Array;
  /** What shares the bytes with others who send them, and would be recreated for them if nobody held it. */
  readonly owner: object | undefined;
}

/** Writes a response as fast as it is read: of a large chunk only a slice or two are buffered in the connection. */
export class ResponseWriter {
  readonly #response: ServerResponse;
  #rest: Piece | undefined;
  #isEnding = false;

  /** @param onRoom called when there is room again after `write` gave false. */
  constructor(response: ServerResponse, onRoom: () => void = () => {}) {
    this.#response = response;
    response.on('drain', () => {
      if (this.#rest !== undefined && !this.#writeRest()) return;
      if (this.#isEnding) response.end();
      else onRoom();
    });
  }

  /** Takes all of it. False when no more is to be written until there is room. `owner` is held until then. */
  write(bytes: Uint8Array, owner?: object): boolean {
    if (this.#rest !== undefined) {
      // Only what ends a response comes while there is no room.
      this.#rest = { bytes: Buffer.concat([this.#rest.bytes, bytes]), owner: undefined };
      return false;
    }
    if (bytes.length <= SLICE_BYTES) return this.#response.write(bytes);
    this.#rest = { bytes, owner };
    return this.#writeRest();
  }

  /** Ends the answer after all that was written. */
  end(): void {
    if (this.#rest === undefined) this.#response.end();
    else this.#isEnding = true;
  }

  /** Whether all is written and there is room for more. */
  #writeRest(): boolean {
    while (this.#rest !== undefined) {
      const { bytes, owner } = this.#rest;
      const hasRoom = this.#response.write(bytes.subarray(0, SLICE_BYTES));
      this.#rest = bytes.length > SLICE_BYTES ? { bytes: bytes.subarray(SLICE_BYTES), owner } : undefined;
      if (!hasRoom) return false;
    }
    return true;
  }
}
