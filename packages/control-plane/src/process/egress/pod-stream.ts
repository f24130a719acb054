import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Channels of a forwarded port; the first byte of each message identifies the channel. */
const DATA = Buffer.from([0]);
const ERROR_CHANNEL = 1;
const MAX_ERROR_LENGTH = 1024;

/**
 * The bytes of one port that a kubelet forwards over a WebSocket (`v4.channel.k8s.io`), with backpressure both ways.
 * Each channel starts with the port number. The stream can't be half open: if one side ends, so does the other.
 */
export class PodStream extends Duplex {
  readonly #webSocket: WebSocket;
  readonly #startedChannels = new Set<number>();
  #errorText = '';

  constructor(webSocket: WebSocket) {
    super({ allowHalfOpen: false });
    this.#webSocket = webSocket;
    // A node may cause an error before any handler listens for it.
    this.on('error', () => undefined);
    webSocket.on('message', (message: Buffer) => this.#take(message));
    webSocket.on('error', (error) => this.destroy(error));
    webSocket.once('close', () => {
      if (this.#errorText === '') this.push(null);
      else this.destroy(new Error(this.#errorText));
    });
  }

  #take(message: Buffer): void {
    const [channel] = message;
    if (channel === undefined) return;
    if (!this.#startedChannels.has(channel)) {
      this.#startedChannels.add(channel);
    } else if (channel === ERROR_CHANNEL) {
      this.#errorText = `${this.#errorText}${message.toString('utf8', 1)}`.slice(0, MAX_ERROR_LENGTH);
    } else if (!this.push(message.subarray(1))) {
      this.#webSocket.pause();
    }
  }

  override _read(): void {
    this.#webSocket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#webSocket.send(Buffer.concat([DATA, chunk]), done);
  }

  override _final(done: () => void): void {
    this.#webSocket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#webSocket.terminate();
    done(error);
  }
}
