import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import type { Release, Traffic } from './traffic.ts';

/** The bytes of a request's body, and how to release their share of the total limit. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  readonly release: Release;
}

const NO_BODY: ReceivedBody = { bytes: Buffer.alloc(0), release: () => {} };

/**
 * Reads the body of a request by `user`, for methods with a body. Rejects with 413 beyond the limit for one body, 429
 * beyond the user's share or the limit for all users, 408 on timeout, 415 if the body is compressed, 400 if it is
 * incomplete.
 */
export async function readBody(
  request: IncomingMessage,
  user: UserInfo | undefined,
  traffic: Traffic,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ReceivedBody> {
  if (request.method === 'GET' || request.method === 'HEAD') return NO_BODY;
  const maxBodyBytes = Math.min(maxBytes, traffic.limits.maxBodyBytes);
  rejectEncodedBody(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(traffic, maxBodyBytes);
  const releases: Release[] = [];
  const release = () => {
    for (const one of releases.splice(0)) one();
  };
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    await receive(request, traffic, (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) throw tooLarge(traffic, maxBodyBytes);
      releases.push(traffic.enter('bodyBytes', user, chunk.length));
      chunks.push(chunk);
    });
    return { bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** kube-apiserver accepts no compressed bodies either: no body can expand beyond its transmitted size. */
function rejectEncodedBody({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return;
  throw new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request is encoded as ${JSON.stringify(encoding)}: send it without Content-Encoding`,
  );
}

/**
 * Calls `onChunk` with each chunk until the body ends. Rejects if `onChunk` throws or on timeout, and then
 * stops reading.
 */
function receive(request: IncomingMessage, traffic: Traffic, onChunk: (chunk: Buffer) => void): Promise<void> {
  const { clock, limits } = traffic;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    timer.cancel();
    request.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose);
  };
  const fail = (error: unknown) => {
    stop();
    request.pause();
    reject(error);
  };
  const onEnd = () => {
    // Must be synchronous: a complete body is followed by a close.
    stop();
    resolve();
  };
  const timer = clock.after(limits.bodyTimeoutMs, () => {
    traffic.reject('bodyTimeout');
    const seconds = limits.bodyTimeoutMs / 1000;
    fail(new ApiError(408, 'Timeout', `Request body did not arrive within ${seconds} s (bodyTimeoutMs)`));
  });
  const onData = (chunk: Buffer) => {
    try {
      onChunk(chunk);
    } catch (error) {
      fail(error);
    }
  };
  const onClose = () => fail(badRequest('the connection ended before the body of the request did'));
  request.on('data', onData).once('end', onEnd).once('error', fail).once('close', onClose);
  return promise;
}

function tooLarge(traffic: Traffic, maxBytes: number): ApiError {
  traffic.reject('bodyTooLarge');
  const message = `Request entity too large: limit is ${maxBytes}`;
  return new ApiError(413, 'RequestEntityTooLarge', message);
}
