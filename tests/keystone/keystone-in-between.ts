import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes all requests on to a Keystone, counts them, and breaks connections while `isAway` is set. */
export interface KeystoneInBetween {
  readonly url: string;
  isAway: boolean;
  /** The number of requests so far whose path contains this. */
  calls(part: string): number;
  close(): Promise<void>;
}

export async function standBefore(authUrl: string): Promise<KeystoneInBetween> {
  const target = new URL(authUrl);
  const prefix = target.pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
  const paths: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    paths.push(url);
    if (between.isAway) {
      incoming.socket.destroy();
      return;
    }
    const { hostname, port } = target;
    const passed = request({ hostname, port, method, path: `${prefix}${url}`, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const between: KeystoneInBetween = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    isAway: false,
    calls: (part) => paths.filter((path) => path.includes(part)).length,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return between;
}
