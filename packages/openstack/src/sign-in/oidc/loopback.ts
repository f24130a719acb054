import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignInError } from '../person.ts';

/** Receives the provider's response from a browser on this machine (RFC 8252, 7.3). */
export interface Loopback {
  readonly redirectUri: string;
  /** The parameters of the response with this state; other requests are rejected and the wait continues. */
  waitForCallback(state: string): Promise<URLSearchParams>;
  /** Rejects {@link waitForCallback}. */
  giveUp(reason: unknown): void;
  close(): Promise<void>;
}

const PATH = '/callback';

/** Listens on the port of `redirectUri`, or on any free one. */
export async function openLoopback(redirectUri: string | undefined): Promise<Loopback> {
  const redirectUrl = new URL(redirectUri ?? `http://127.0.0.1:0${PATH}`);
  const callback = Promise.withResolvers<URLSearchParams>();
  // The promise may not have a handler yet.
  callback.promise.catch(() => {});
  let expected: string | undefined;
  const server = createServer((request, response) => {
    // Anything on this machine can call the port, even with an invalid path: `//`.
    const url = URL.parse(request.url ?? '/', redirectUrl.href);
    const end = (status: number, text: string): void => {
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      });
      response.end(`${text}\n`);
    };
    if (request.method !== 'GET' || url?.pathname !== redirectUrl.pathname) return end(404, 'Not found.');
    if (expected === undefined || url.searchParams.get('state') !== expected) {
      return end(400, 'This is not the sign-in that was started here.');
    }
    const isRefused = url.searchParams.has('error');
    end(
      200,
      isRefused ? 'The sign-in was rejected; see the terminal for details.' : 'Signed in. You can close this window.',
    );
    callback.resolve(url.searchParams);
  });
  const host = redirectUrl.hostname === '[::1]' ? '::1' : '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const advice = 'stop the process that listens on it, or remove redirect_uri if the provider accepts any port';
      reject(new SignInError(`port ${redirectUrl.port} of this machine is in use`, { advice, cause }));
    });
    server.listen(redirectUrl.port === '' ? 80 : Number(redirectUrl.port), host, resolve);
  });
  if (redirectUri === undefined) redirectUrl.port = String((server.address() as AddressInfo).port);
  return {
    redirectUri: redirectUri ?? redirectUrl.href,
    waitForCallback: (state) => {
      expected = state;
      return callback.promise;
    },
    giveUp: (reason) => callback.reject(reason),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
