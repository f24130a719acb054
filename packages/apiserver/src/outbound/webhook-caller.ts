import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { WebhookClientConfig } from '@fairway/kube/kinds/generated/types';
import { isJsonObject } from '@fairway/kube/object/json';
import type { Destination, OutboundClient } from './outbound-client.ts';
import { DEADLINE_EXCEEDED, OutboundError } from './outbound-error.ts';
import { readBounded } from './read-bounded.ts';
import { serviceDestination } from './service-destination.ts';

export interface WebhookCallerOptions {
  readonly reader: () => ObjectReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly client: OutboundClient;
}

/** Maximum length quoted from a response whose status is not 200. */
const MAX_QUOTED_CHARS = 1024;

/** Posts reviews to webhooks. */
export class WebhookCaller {
  readonly #options: WebhookCallerOptions;

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  /** The parsed response. Rejects with an OutboundError with client-go's message. */
  async post(config: WebhookClientConfig, review: object, timeoutMs: number): Promise<unknown> {
    const { client, clock } = this.#options;
    if (timeoutMs <= 0) throw new OutboundError(DEADLINE_EXCEEDED);
    const endMs = clock.now() + timeoutMs;
    const query = `timeout=${Math.ceil(timeoutMs / 1000)}s`;
    const { url, path } = urlOf(config);
    const incoming = await withErrorPrefix(`Post "${url}?${query}"`, async () =>
      client.request(this.#destinationOf(config, url), {
        method: 'POST',
        path: `${path}?${query}`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'kube-apiserver-admission',
        },
        body: JSON.stringify(review),
        isRepeatable: true,
        timeoutMs,
      }),
    );
    const text = await readBounded(incoming, clock, endMs - clock.now());
    const status = incoming.statusCode ?? 0;
    if (status < 200 || status > 299)
      throw new OutboundError(describeStatus(status, text, incoming.headers['content-type']));
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new OutboundError(`couldn't get the answer's JSON: ${(error as Error).message}`);
    }
  }

  #destinationOf({ service, caBundle }: WebhookClientConfig, url: string): Destination {
    const bundle = caBundle ? { caBundle: Buffer.from(caBundle, 'base64').toString() } : {};
    if (service !== undefined) {
      const { namespace, name, port = 443 } = service;
      const { reader, random } = this.#options;
      return { ...serviceDestination(reader(), { namespace, name, port }, random), ...bundle };
    }
    const { hostname, port } = new URL(url);
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    return { kind: 'controlplane', host, port: Number(port || 443), ...bundle };
  }
}

/** The URL for messages, without a query. */
function urlOf({ url, service }: WebhookClientConfig): { readonly url: string; readonly path: string } {
  if (service !== undefined) {
    const { name, namespace, port = 443, path = '' } = service;
    const rooted = path.startsWith('/') ? path : `/${path}`;
    return { url: `https://${name}.${namespace}.svc:${port}${rooted}`, path: rooted };
  }
  if (!URL.canParse(url ?? '')) throw new OutboundError(`parse ${JSON.stringify(url ?? '')}: invalid URI`);
  const { pathname, origin } = new URL(url ?? '');
  return { url: `${origin}${pathname}`, path: pathname };
}

async function withErrorPrefix<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new OutboundError(`${prefix}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** client-go's error for an unsuccessful response. */
function describeStatus(status: number, text: string, contentType = ''): string {
  const message = statusMessageOf(text);
  if (message !== undefined) return message;
  const known = STATUS_TEXTS[status];
  if (known !== undefined) return known;
  const quoted = contentType.startsWith('text/') ? text.trim().slice(0, MAX_QUOTED_CHARS) : 'unknown';
  if (status >= 500)
    return `an error on the server (${JSON.stringify(quoted)}) has prevented the request from succeeding`;
  if (status === 400) return 'the server rejected our request for an unknown reason';
  return `the server responded with the status code ${status} but did not return more information`;
}

/** The message of a Status, if it is one. */
function statusMessageOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value['kind'] !== 'Status') return undefined;
    return typeof value['message'] === 'string' ? value['message'].slice(0, MAX_QUOTED_CHARS) : undefined;
  } catch {
    return undefined;
  }
}
