import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards all requests to a Keystone, counts them, and breaks connections while `isUnreachable` is set. */
export interface KeystoneProxy {
  readonly url: string;
  isUnreachable: boolean;
  /** The number of requests so far whose path contains this text. */
  calls(part: string): number;
  close(): Promise<void>;
}

export async function startKeystoneProxy(authUrl: string): Promise<KeystoneProxy> {
  const target = new URL(authUrl);
  const prefix = target.pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
  const paths: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    paths.push(url);
    if (proxy.isUnreachable) {
      incoming.socket.destroy();
      return;
    }
    const { hostname, port } = target;
    const forwarded = request({ hostname, port, method, path: `${prefix}${url}`, headers }, (upstreamResponse) => {
      outgoing.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      upstreamResponse.pipe(outgoing);
    });
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: KeystoneProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    isUnreachable: false,
    calls: (part) => paths.filter((path) => path.includes(part)).length,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
