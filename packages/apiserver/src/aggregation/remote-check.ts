import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { z } from 'zod';
import type { Destination, Outbound } from '../outbound/outbound-client.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { readBounded } from '../outbound/read-bounded.ts';
import { destinationOf, type FrontProxyIdentity } from './destination.ts';
import { AGGREGATOR_USER, userHeaders } from './front-proxy.ts';
import type { RemoteApi } from './remote-api.ts';
import { type RemoteResource, remoteResourcesOf } from './remote-resources.ts';

export interface RemoteCheckOptions {
  readonly reader: ObjectReader;
  readonly client: Outbound;
  readonly identity: FrontProxyIdentity;
  readonly clock: Clock;
  readonly random: () => number;
  readonly via: string;
}

/** An API server's discovery data for one group version. */
export interface DiscoveryResult {
  readonly resources: readonly RemoteResource[];
  /** The discovery document, as the server returned it. */
  readonly text: string;
  /** The server's hash for the group version's OpenAPI document; undefined if it has none. */
  readonly openApiHash: string | undefined;
}

/** kube-aggregator's. */
const TIMEOUT_MS = 5000;
/** Size limit for the discovery document of one group version; Kubernetes' own documents take at most 20 KB. */
const MAX_BYTES = 256 * 1024;
/** Size limit for an OpenAPI v2 document; Kubernetes' own document is 4 MB. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/**
 * Fetches the kinds of a group version, which every API server must serve. Rejects with an OutboundError that has
 * kube-aggregator's message.
 */
export async function fetchResources(
  options: RemoteCheckOptions,
  api: RemoteApi,
): Promise<Omit<DiscoveryResult, 'openApiHash'>> {
  const { group, version } = api;
  const destination = await destinationOf(options, api);
  const path = `/apis/${group}/${version}`;
  const url = urlOf(destination, path);
  const { status, text } = await get(options, destination, path);
  const failureMessage = `failing or missing response from ${url}`;
  if (status < 200 || status > 299) throw new OutboundError(`${failureMessage}: bad status from ${url}: ${status}`);
  const resources = remoteResourcesOf(text, `${group}/${version}`);
  if (typeof resources === 'string') throw new OutboundError(`${failureMessage}: ${resources}`);
  return { resources, text };
}

const OpenApiIndex = z.object({ paths: z.record(z.string(), z.object({ serverRelativeURL: z.string() })) });

/** The hash of a group version's OpenAPI document; undefined if there is none or it is currently unavailable. */
export async function fetchOpenApiHash(options: RemoteCheckOptions, api: RemoteApi): Promise<string | undefined> {
  try {
    const { status, text } = await get(options, await destinationOf(options, api), '/openapi/v3');
    if (status !== 200) return undefined;
    const { paths } = OpenApiIndex.parse(JSON.parse(text));
    const { serverRelativeURL = '' } = paths[`apis/${api.group}/${api.version}`] ?? {};
    return /[?&]hash=([\w-]{1,200})(?:&|$)/.exec(serverRelativeURL)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * The OpenAPI v2 document of a server; undefined if the server has none, or if its ETag is unchanged. Rejects with an
 * OutboundError.
 */
export async function fetchOpenApiV2(
  options: RemoteCheckOptions,
  api: RemoteApi,
  etag: string | undefined,
): Promise<{ readonly text: string; readonly etag: string | undefined } | undefined> {
  const response = await get(options, await destinationOf(options, api), '/openapi/v2', {
    headers: etag === undefined ? {} : { 'if-none-match': etag },
    maxBytes: MAX_DOCUMENT_BYTES,
  });
  return response.status === 200 ? { text: response.text, etag: response.etag } : undefined;
}

interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

async function get(
  options: RemoteCheckOptions,
  destination: Destination,
  path: string,
  { headers = {}, maxBytes = MAX_BYTES }: GetOptions = {},
) {
  const url = urlOf(destination, path);
  const { client, clock, via } = options;
  const endMs = clock.now() + TIMEOUT_MS;
  try {
    const incoming = await client.request(destination, {
      method: 'GET',
      path,
      headers: { ...headers, accept: 'application/json', via: `1.1 ${via}`, ...userHeaders(AGGREGATOR_USER) },
      timeoutMs: TIMEOUT_MS,
    });
    const text = await readBounded(incoming, clock, endMs - clock.now(), maxBytes);
    return { status: incoming.statusCode ?? 0, text, etag: incoming.headers.etag };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new OutboundError(`failing or missing response from ${url}: Get "${url}": ${error.message}`);
  }
}

function urlOf({ host, port }: Destination, path: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
