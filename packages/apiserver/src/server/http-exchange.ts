import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import type { Credentials } from '../auth/user.ts';
import { decodeProtobuf, ProtobufError } from '../protobuf/decode-protobuf.ts';
import { statusAnswer } from './pipeline.ts';
import type { Answer, ApiRequest, LineStream } from './request.ts';

/** Upstream's limits: the size of a body, and from when on an answer is worth compressing. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const MIN_GZIP_BYTES = 128 * 1024;
/** From here on an answer is encoded in one go: the streams beneath take twice as long. Below, it goes out with the head. */
const MIN_ENCODE_CHARS = 16 * 1024;
/** How much of a watch may wait in a connection before the watch holds back. */
const MAX_BUFFERED_BYTES = 256 * 1024;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const compress = promisify(gzip);
const encoder = new TextEncoder();

export type AnswerHttp = (request: ApiRequest, credentials: Credentials) => Promise<Answer>;

/** Reads one HTTP request, has it answered and sends the answer. Never rejects. */
export async function serveHttp(
  request: IncomingMessage,
  response: ServerResponse,
  answerHttp: AnswerHttp,
): Promise<void> {
  const abort = new AbortController();
  response.once('close', () => {
    // An abort makes an exception with its stack: not for each of the many that end as they should.
    if (!response.writableFinished) abort.abort();
  });
  try {
    const apiRequest = apiRequestOf(request, await readBody(request), abort.signal);
    const answer = await answerHttp(apiRequest, credentialsOf(request));
    await send(request, response, answer);
  } catch (error) {
    if (error instanceof ApiError && !response.headersSent) {
      response.shouldKeepAlive = false;
      await send(request, response, statusAnswer(error));
    } else {
      response.destroy();
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (request.method === 'GET' || request.method === 'HEAD') return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      const message = `Request entity too large: limit is ${MAX_BODY_BYTES}`;
      throw new ApiError(413, 'RequestEntityTooLarge', message);
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function apiRequestOf(request: IncomingMessage, body: Buffer, signal: AbortSignal): ApiRequest {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    ...contentOf(headersOf(request), body),
    signal,
  };
}

/**
 * The body as text. Protobuf, in which kubectl and Kubernetes' own components send built-in kinds, is turned into JSON here,
 * so that nothing behind this knows of it.
 */
function contentOf(
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
): Pick<ApiRequest, 'headers' | 'body'> {
  if (headers['content-type'] !== PROTOBUF || body.length === 0) return { headers, body: body.toString() };
  try {
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(decodeProtobuf(body)) };
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw error;
  }
}

/**
 * Headers by name. Repeated Impersonate- headers are told apart by newlines, for their values may hold commas; names of people are UTF-8 on
 * the wire, which Node takes for Latin-1.
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

/** What the caller shows of itself. */
export function credentialsOf(request: IncomingMessage): Credentials {
  const [, bearerToken] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '') ?? [];
  return { bearerToken, clientCertificate: certificateOf(request.socket) };
}

/** The same array for all requests of a connection: whoever verifies it remembers it by that. */
const certificates = new WeakMap<Socket, Uint8Array | undefined>();

function certificateOf(socket: Socket): Uint8Array | undefined {
  if (!certificates.has(socket)) {
    const { getPeerX509Certificate } = socket as Partial<TLSSocket>;
    certificates.set(socket, getPeerX509Certificate?.call(socket)?.raw);
  }
  return certificates.get(socket);
}

/** Sends an answer that no handler has begun to send. */
export async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body } = answer;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(status, headers);
    response.flushHeaders();
    stream(response, body);
    return;
  }
  const isLarge = body.length >= MIN_GZIP_BYTES && headers['content-encoding'] === undefined;
  if (isLarge && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
    const compressed = await compress(body, { level: 1 });
    response.writeHead(status, {
      ...headers,
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': compressed.length,
    });
    response.end(compressed);
    return;
  }
  const content = typeof body === 'string' && body.length >= MIN_ENCODE_CHARS ? encoder.encode(body) : body;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) });
  response.end(request.method === 'HEAD' ? undefined : content);
}

function stream(response: ServerResponse, lines: LineStream): void {
  response.on('drain', () => lines.resume());
  response.once('close', () => lines.stop());
  lines.start({
    send(line) {
      response.write(line.bytes());
      return response.writableLength < MAX_BUFFERED_BYTES;
    },
    end: () => response.end(),
  });
}
