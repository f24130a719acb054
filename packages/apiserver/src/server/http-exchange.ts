import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import type { Credentials, UserInfo } from '../auth/user.ts';
import { decodeProtobuf, ProtobufError } from '../protobuf/decode-protobuf.ts';
import { acceptedEncoding } from './accepted-encoding.ts';
import { identifyConnection } from './connections.ts';
import { onExchangeEnd } from './exchange-end.ts';
import { joinStreams } from './join-streams.ts';
import { ListText } from './list-text.ts';
import { statusResponse } from './pipeline.ts';
import type { ApiRequest, ApiResponse, LineStream, RequestContent } from './request.ts';
import { readBody } from './request-body.ts';
import { ResponseWriter } from './response-writer.ts';
import { sendList } from './send-list.ts';
import { splitTarget } from './split-target.ts';
import type { Traffic } from './traffic.ts';
import { UpgradeResponse } from './upgrade-response.ts';

/** Upstream's minimum size for compression. */
const MIN_GZIP_BYTES = 128 * 1024;
/**
 * From this size up, a response is encoded in one step: encoding in the stream takes twice as long. Smaller responses
 * are sent with the headers.
 */
const MIN_ENCODE_CHARS = 16 * 1024;
/** From this size up, a response is sent in chunks. */
const MIN_SLICED_BYTES = 64 * 1024;
/**
 * How much of an unread body is drained, as in Go's server: a client that sends before it reads still gets the
 * response.
 */
const MAX_SKIPPED_BYTES = 256 * 1024;
const SKIP_TIMEOUT_MS = 1_000;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const compress = promisify(gzip);
const encoder = new TextEncoder();

export type HandleHttp = (request: ApiRequest, credentials: Credentials) => Promise<ApiResponse>;

/** Handles one HTTP request and sends the response. The body is read lazily. Never rejects. */
export async function serveHttp(
  request: IncomingMessage,
  response: ServerResponse,
  traffic: Traffic,
  handleHttp: HandleHttp,
): Promise<void> {
  const startedMs = traffic.clock.now();
  try {
    const readBytes = async (user: UserInfo | undefined, maxBytes?: number) => {
      const { bytes, release } = await readBody(request, user, traffic, maxBytes);
      onExchangeEnd(response, release);
      // The reader continues immediately, and many bodies may be complete at the same time.
      if (bytes.length > 0) await traffic.nextTurn(user);
      return bytes;
    };
    const apiRequest = apiRequestOf(request, response, readBytes);
    const apiResponse = await handleHttp(apiRequest, credentialsOf(request));
    traffic.recordResponse(
      apiRequest.method,
      apiResponse.status,
      isStream(apiResponse) ? undefined : traffic.clock.now() - startedMs,
    );
    if (apiResponse.user) identifyConnection(request.socket, response, apiResponse.user);
    await send(request, response, apiResponse, traffic);
  } catch (error) {
    if (error instanceof ApiError && !response.headersSent) {
      response.shouldKeepAlive = false;
      const apiResponse = statusResponse(error);
      traffic.recordResponse(request.method ?? 'GET', apiResponse.status, undefined);
      await send(request, response, apiResponse, traffic);
    } else {
      response.destroy();
    }
  }
}

function apiRequestOf(
  request: IncomingMessage,
  response: ServerResponse,
  readBytes: (user: UserInfo | undefined, maxBytes?: number) => Promise<Buffer>,
): ApiRequest {
  let abort: AbortController | undefined;
  return {
    method: request.method ?? 'GET',
    ...splitTarget(request.url ?? '/'),
    headers: headersOf(request),
    readBytes,
    readContent: async (user, maxBytes) => contentOf(headersOf(request), await readBytes(user, maxBytes)),
    // The signal is created only when needed: it is rarely used, and each signal costs two events and an object.
    get signal() {
      abort ??= abortAtEnd(response);
      return abort.signal;
    },
    peer: request.socket.remoteAddress ?? '',
    canUpgrade: response instanceof UpgradeResponse,
  };
}

function abortAtEnd(response: ServerResponse): AbortController {
  const abort = new AbortController();
  onExchangeEnd(response, () => {
    // Aborting creates an exception with a stack trace, so requests that end normally are not aborted.
    if (!response.writableFinished) abort.abort();
  });
  return abort;
}

/**
 * The body as text. Protobuf, which kubectl and Kubernetes' components use for built-in kinds, is converted to JSON here: later steps only see JSON.
 */
function contentOf(headers: RequestContent['headers'], body: Buffer): RequestContent {
  if (headers['content-type'] !== PROTOBUF || body.length === 0) return { headers, body: body.toString() };
  try {
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(decodeProtobuf(body)) };
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw error;
  }
}

/**
 * Headers by name. Repeated Impersonate- headers are joined by newlines, because values may contain commas. User names
 * are UTF-8 on the wire, and Node decodes them as Latin-1.
 */
export function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  const headers = request.headers as Record<string, string | undefined>;
  if (headers['impersonate-user'] === undefined) return headers;
  const joined = { ...headers };
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (name.startsWith('impersonate-')) joined[name] = Buffer.from(values?.join('\n') ?? '', 'latin1').toString();
  }
  return joined;
}

/** The credentials of the connection and request. */
export function credentialsOf(request: IncomingMessage): Credentials {
  const [, bearerToken] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '') ?? [];
  return { bearerToken, clientCertificate: certificateOf(request.socket), peer: request.socket.remoteAddress };
}

/** The same array for all requests of a connection: it is the cache key of the certificate's verification. */
const certificates = new WeakMap<Socket, Uint8Array | undefined>();

function certificateOf(socket: Socket): Uint8Array | undefined {
  if (!certificates.has(socket)) {
    const { getPeerX509Certificate } = socket as Partial<TLSSocket>;
    certificates.set(socket, getPeerX509Certificate?.call(socket)?.raw);
  }
  return certificates.get(socket);
}

/** Sends a response that has not been started. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  apiResponse: ApiResponse,
  traffic: Traffic,
): Promise<void> {
  const { status, headers, release } = apiResponse;
  if (release) onExchangeEnd(response, release);
  const { body: list } = apiResponse;
  if (list instanceof ListText && list.length >= MIN_SLICED_BYTES && !acceptsGzip(request, list.length, headers)) {
    if (endsConnection(request, status)) response.shouldKeepAlive = false;
    response.writeHead(status, { ...headers, 'content-length': list.byteLength });
    if (request.method === 'HEAD') response.end();
    else sendList(response, list);
    return;
  }
  const body = list instanceof ListText ? listBody(list) : list;
  if (apiResponse.upgraded !== undefined) {
    switchTo(response, headers, apiResponse.upgraded, traffic);
    return;
  }
  if (body instanceof Readable) {
    pipeBody(response, apiResponse, body);
    return;
  }
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(status, headers);
    response.flushHeaders();
    stream(response, body);
    return;
  }
  const content = await encode(request, body, headers);
  const isSkipped = endsConnection(request, status);
  if (isSkipped) response.shouldKeepAlive = false;
  response.writeHead(status, {
    ...headers,
    ...(apiResponse.cookies && { 'set-cookie': [headers['set-cookie'] ?? [], apiResponse.cookies].flat() }),
    ...(content.isCompressed && { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
    'content-length': Buffer.byteLength(content.body),
  });
  const shown = request.method === 'HEAD' ? '' : content.body;
  if (typeof shown !== 'string' && shown.length >= MIN_SLICED_BYTES) {
    const writer = new ResponseWriter(response);
    writer.write(shown);
    writer.end();
    return;
  }
  if (isSkipped) {
    // Writes the whole response before ending it, because ending it closes the connection.
    response.flushHeaders();
    if (shown.length > 0) response.write(shown);
    await skipBody(request, traffic);
    response.end();
    return;
  }
  response.end(shown);
}

/** Whether the response is a stream of unlimited duration. */
function isStream({ body }: ApiResponse): boolean {
  return typeof body !== 'string' && !(body instanceof Uint8Array) && !(body instanceof ListText);
}

function listBody(list: ListText): string | Uint8Array {
  return list.length >= MIN_ENCODE_CHARS ? list.bytes() : list.text();
}

function acceptsGzip(
  { headers: requested }: IncomingMessage,
  length: number,
  headers: ApiResponse['headers'],
): boolean {
  if (length < MIN_GZIP_BYTES || headers['content-encoding'] !== undefined) return false;
  return acceptedEncoding(requested['accept-encoding'], ['gzip']) !== undefined;
}

async function encode(
  request: IncomingMessage,
  body: string | Uint8Array,
  headers: ApiResponse['headers'],
): Promise<{ readonly body: string | Uint8Array; readonly isCompressed?: boolean }> {
  if (acceptsGzip(request, body.length, headers)) {
    return { body: await compress(body, { level: 1 }), isCompressed: true };
  }
  // If the body is a string, Node writes the headers together with it in the body's encoding: a warning's bytes would
  // be encoded twice.
  const isEncoded = body.length >= MIN_ENCODE_CHARS || headers['warning'] !== undefined;
  return { body: typeof body === 'string' && isEncoded ? encoder.encode(body) : body };
}

/** Whether the connection must be closed because an unread body still precedes the next request. */
function endsConnection(request: IncomingMessage, status: number): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return false;
  // A small body from an authenticated user is drained quickly, so the connection stays open.
  return status === 401 || encoding !== undefined || Number(length) > MAX_SKIPPED_BYTES;
}

/** Drains part of a body: resolves when it ends, is too long, or takes too long. */
function skipBody(request: IncomingMessage, { clock }: Traffic): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (request.destroyed) return Promise.resolve();
  const timer = clock.after(SKIP_TIMEOUT_MS, resolve);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_SKIPPED_BYTES) resolve();
  });
  request
    .once('end', resolve)
    .once('error', () => resolve())
    .once('close', resolve)
    .resume();
  return promise.finally(() => {
    timer.cancel();
    request.pause();
  });
}

/** Streams another server's response at the reader's speed. If either side ends, so does the other. */
function pipeBody(response: ServerResponse, { status, headers }: ApiResponse, body: Readable): void {
  onExchangeEnd(response, () => body.destroy());
  body.once('error', () => response.destroy());
  response.writeHead(status, headers);
  // A watch may have no events for a while, but its client waits for the headers; flushHeaders() would encode their bytes again.
  response.write(Buffer.alloc(0));
  body.pipe(response);
}

/** From here on the two peers communicate directly. */
function switchTo(response: ServerResponse, headers: ApiResponse['headers'], other: Duplex, { clock }: Traffic): void {
  onExchangeEnd(response, () => other.destroy());
  if (response instanceof UpgradeResponse) joinStreams(response.switchProtocols(headers), other, clock);
  else response.destroy();
}

function stream(response: ServerResponse, lines: LineStream): void {
  const writer = new ResponseWriter(response, () => lines.resume());
  // Node creates three buffers per chunk for each of a thousand watches; here each line is encoded as a chunk only
  // once. HTTP/1.0 has no chunks.
  const isChunked = response.chunkedEncoding;
  response.chunkedEncoding = false;
  onExchangeEnd(response, () => lines.stop());
  lines.start({
    send: (line) => writer.write(isChunked ? line.chunk() : line.bytes(), line),
    end() {
      if (isChunked) writer.write(LAST_CHUNK);
      writer.end();
    },
  });
}
