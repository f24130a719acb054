import type { ServerResponse } from 'node:http';

/** Maximum size of a write: TLS encrypts each write as a whole, which takes additional memory. */
const SLICE_BYTES = 32 * 1024;

/** Remainder of a large chunk. */
interface PendingChunk {
  readonly bytes: Uint8Array;
  /** Owner of the shared bytes. The reference keeps them alive, so that other senders need not recreate them. */
  readonly owner: object | undefined;
}

/**
 * Writes a response as fast as the client reads it: only a slice or two of a large chunk are buffered in the
 * connection.
 */
export class ResponseWriter {
  readonly #response: ServerResponse;
  #rest: PendingChunk | undefined;
  #isEnding = false;

  /** @param onDrain called when there is room again after `write` returned false. */
  constructor(response: ServerResponse, onDrain: () => void = () => {}) {
    this.#response = response;
    response.on('drain', () => {
      if (this.#rest !== undefined && !this.#writeRest()) return;
      if (this.#isEnding) response.end();
      else onDrain();
    });
  }

  /** Accepts the whole chunk. Returns false if the caller must wait for room. `owner` is referenced until then. */
  write(bytes: Uint8Array, owner?: object): boolean {
    if (this.#rest !== undefined) {
      // Without room, only the end of a response may still be written.
      this.#rest = { bytes: Buffer.concat([this.#rest.bytes, bytes]), owner: undefined };
      return false;
    }
    if (bytes.length <= SLICE_BYTES) return this.#response.write(bytes);
    this.#rest = { bytes, owner };
    return this.#writeRest();
  }

  /** Ends the response after everything has been written. */
  end(): void {
    if (this.#rest === undefined) this.#response.end();
    else this.#isEnding = true;
  }

  /** Whether everything has been written and there is room for more. */
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
