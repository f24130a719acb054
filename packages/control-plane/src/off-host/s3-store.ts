import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import { MissingObjectError, type ObjectStore, ObjectStoreError, type StoredObject } from './object-store.ts';

export interface S3Location {
  /** For example `https://s3.example.org`, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

export interface S3Options extends S3Location {
  /** Read before each request, so that new keys take effect without a restart. */
  readonly credentials: () => S3Credentials;
  /** PEM of CAs to trust in addition to the system's. */
  readonly certificateAuthority?: string | undefined;
  readonly clock: Clock;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A store may take a while to confirm a part. */
const HEADERS_TIMEOUT_MS = 60_000;
const BODY_TIMEOUT_MS = 60_000;
const MAX_OBJECT_BYTES = 256 * 2 ** 20;
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;
/** Pages of 1000 objects: more than any retention keeps. */
const MAX_PAGES = 1000;

/**
 * A bucket accessed over the S3 protocol, which Swift (s3api), Ceph and MinIO also support, with path-style
 * addresses.
 */
export class S3Store implements ObjectStore {
  readonly #options: S3Options;
  readonly #agent: Agent;

  constructor(options: S3Options) {
    this.#options = options;
    const { certificateAuthority: ca } = options;
    this.#agent = new Agent({
      connections: 4,
      headersTimeout: HEADERS_TIMEOUT_MS,
      bodyTimeout: BODY_TIMEOUT_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(ca !== undefined && { ca }) },
    });
  }

  get description(): string {
    const { endpoint, bucket, prefix } = this.#options;
    return `s3://${bucket}/${prefix} at ${endpoint}`;
  }

  get id(): string {
    const { bucket, prefix } = this.#options;
    return `${bucket}/${prefix}`;
  }

  /** The store checks the bytes against their signed SHA-256 before the object appears. */
  async put(key: string, bytes: Buffer): Promise<void> {
    await this.#send('PUT', this.#urlOf(key), bytes);
  }

  get(key: string): Promise<Buffer> {
    return this.#send('GET', this.#urlOf(key), undefined, MAX_OBJECT_BYTES);
  }

  async list(prefix: string): Promise<readonly StoredObject[]> {
    const found: StoredObject[] = [];
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = new URL(`${this.#bucketUrl()}/`);
      url.searchParams.set('list-type', '2');
      // Keys are percent-encoded, so that they cannot contain markup.
      url.searchParams.set('encoding-type', 'url');
      url.searchParams.set('prefix', this.#options.prefix + prefix);
      if (token !== undefined) url.searchParams.set('continuation-token', token);
      const response = parseListing((await this.#send('GET', url)).toString('utf8'));
      for (const { key, sizeBytes } of response.objects) {
        found.push({ key: key.slice(this.#options.prefix.length), sizeBytes });
      }
      token = response.next;
      if (token === undefined) return found.sort((a, b) => (a.key < b.key ? -1 : 1));
    }
    throw new ObjectStoreError(`${this.description} has more than ${MAX_PAGES * 1000} objects below ${prefix}`);
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#send('DELETE', this.#urlOf(key));
    } catch (error) {
      if (!(error instanceof MissingObjectError)) throw error;
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  #bucketUrl(): string {
    const { endpoint, bucket } = this.#options;
    return `${endpoint.replace(/\/$/, '')}/${encodeURIComponent(bucket)}`;
  }

  #urlOf(key: string): URL {
    const path = `${this.#options.prefix}${key}`.split('/').map(encodeURIComponent).join('/');
    return new URL(`${this.#bucketUrl()}/${path}`);
  }

  async #send(
    method: 'GET' | 'PUT' | 'DELETE',
    url: URL,
    body?: Buffer,
    maxBytes = MAX_RESPONSE_BYTES,
  ): Promise<Buffer> {
    const { region, credentials, clock } = this.#options;
    const { accessKeyId, secretAccessKey, sessionToken } = credentials();
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    }).sign();
    const headers = Object.fromEntries(signed.headers);
    try {
      const response = await request(signed.url, { method, headers, body: body ?? null, dispatcher: this.#agent });
      const bytes = await readBounded(response.body, maxBytes);
      if (response.statusCode >= 200 && response.statusCode < 300) return bytes;
      throw this.#errorOf(response.statusCode, bytes.toString('utf8'), url);
    } catch (error) {
      if (error instanceof ObjectStoreError || error instanceof MissingObjectError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new ObjectStoreError(`${this.description} does not respond: ${reason}`, { cause: error });
    }
  }

  #errorOf(status: number, text: string, url: URL): Error {
    const code = /<Code>([\w.]{1,64})<\/Code>/.exec(text)?.[1];
    const message = /<Message>([^<]{1,200})/.exec(text)?.[1];
    if (status === 404 && code !== 'NoSuchBucket') {
      return new MissingObjectError(`${decodeURIComponent(url.pathname)} does not exist at ${this.#options.endpoint}`);
    }
    const errorText = [code, message].filter((part) => part !== undefined).join(': ');
    return new ObjectStoreError(`${this.description} answers ${status}${errorText === '' ? '' : ` (${errorText})`}`);
  }
}

async function readBounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new ObjectStoreError(`the response exceeds ${maxBytes} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read);
}

/** A page of ListObjectsV2 with `encoding-type=url`. */
function parseListing(xml: string): { readonly objects: readonly StoredObject[]; readonly next: string | undefined } {
  if (!xml.includes('<ListBucketResult')) throw new ObjectStoreError('the response is not a list of objects');
  const objects = xml
    .split('<Contents>')
    .slice(1)
    .flatMap((entry): StoredObject[] => {
      const key = /<Key>([^<]*)<\/Key>/.exec(entry)?.[1];
      const size = /<Size>(\d+)<\/Size>/.exec(entry)?.[1];
      return key === undefined ? [] : [{ key: decodeURIComponent(key.replaceAll('+', ' ')), sizeBytes: Number(size) }];
    });
  const isTruncated = /<IsTruncated>true<\/IsTruncated>/.test(xml);
  const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1];
  if (isTruncated && next === undefined) throw new ObjectStoreError('the list of objects is truncated');
  return { objects, next: isTruncated ? next : undefined };
}
