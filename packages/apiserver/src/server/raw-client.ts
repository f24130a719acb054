import { connect, type TLSSocket } from 'node:tls';

/** A client with full control over the bytes that it sends and over when it reads, for tests of malformed requests. */
export class RawClient {
  readonly socket: TLSSocket;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
  #received = '';
  #hasMore = Promise.withResolvers<void>();

  private constructor(port: number, certificateAuthority: string, localAddress: string) {
    const options = { host: '127.0.0.1', port, ca: certificateAuthority, localAddress };
    this.socket = connect(options);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.#hasMore.resolve();
        resolve();
      });
    });
    // A connection closed by the server emits an error.
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
      this.#hasMore.resolve();
      this.#hasMore = Promise.withResolvers();
    });
  }

  /** Resolves after the handshake, or when the server rejects it. */
  static async open(port: number, certificateAuthority: string, localAddress = '127.0.0.1'): Promise<RawClient> {
    const client = new RawClient(port, certificateAuthority, localAddress);
    await Promise.race([new Promise((resolve) => client.socket.once('secureConnect', resolve)), client.closed]);
    return client;
  }

  /** Everything received so far, as Latin-1. */
  get received(): string {
    return this.#received;
  }

  /** Sends the head of a request, and optionally part of its body. */
  send(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}, body = ''): void {
    const lines = Object.entries({ host: 'test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  }

  /** The status of the first response; undefined if the connection ended without one. */
  async status(): Promise<number | undefined> {
    await this.until('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(this.#received) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  /** Waits until `text` has arrived, or the connection is closed. */
  async until(text: string): Promise<void> {
    while (!this.#received.includes(text) && !this.socket.destroyed) await this.#hasMore.promise;
  }

  close(): Promise<void> {
    this.socket.destroy();
    return this.closed;
  }
}
