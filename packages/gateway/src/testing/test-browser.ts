import { HttpsTransport } from '@fairway/kube/client/https-transport';
import type { TransportResponse } from '@fairway/kube/client/transport';
import type { GatewayForm } from './gateway-form.ts';

export interface PageRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: object;
  /** Replaces the headers of a console page. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The headers of requests from a console page, as a browser sends them. */
export const OWN_PAGE = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin' };

/**
 * A browser as a server sees it: it keeps a cookie and sends it with every request to the server, whichever site
 * triggers the request.
 */
export class TestBrowser {
  readonly #transport: HttpsTransport;
  cookie: string | undefined;

  private constructor(transport: HttpsTransport) {
    this.#transport = transport;
  }

  static async at(form: Pick<GatewayForm, 'address'>): Promise<TestBrowser> {
    const { url: server, certificateAuthority } = await form.address();
    return new TestBrowser(new HttpsTransport({ server, certificateAuthority }));
  }

  async send(
    path: string,
    { method = 'GET', body, headers = OWN_PAGE, signal }: PageRequest = {},
  ): Promise<TransportResponse> {
    const rawResponse = await this.#transport.request({
      method,
      path,
      headers: {
        ...headers,
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const setCookie = rawResponse.headers['set-cookie'];
    if (setCookie !== undefined) {
      const [pair = ''] = setCookie.split(';');
      this.cookie = pair.endsWith('=') ? undefined : pair;
    }
    return rawResponse;
  }

  /** The status and JSON of a response. */
  async fetchJson(
    path: string,
    request: PageRequest = {},
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const rawResponse = await this.send(path, request);
    return { status: rawResponse.status, body: JSON.parse(await rawResponse.text()) };
  }

  signIn(credentials: object): Promise<{ readonly status: number; readonly body: unknown }> {
    return this.fetchJson('/console/session', { method: 'POST', body: credentials });
  }

  close(): void {
    this.#transport.close();
  }
}
