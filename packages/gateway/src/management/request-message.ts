import type { IncomingMessage } from 'node:http';
import { connectionOptions } from '@fairway/apiserver/server/hop-by-hop';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';

/** HTTP methods that map to Kubernetes verbs. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Methods whose body kube-apiserver never reads. */
const BODYLESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** RFC 9110 5.3: a duplicate is contradictory, and implementations differ in which one they use. */
const SINGLE_HEADERS = ['audit-id', 'authorization', 'content-type', 'host'];
/** Headers that no client may declare hop-by-hop. */
const FRAMING_HEADERS =
  /^(?:accept.*|audit-id|authorization|content-.*|forwarded|host|impersonate-.*|transfer-encoding|user-agent|x-forwarded-.*|x-real-ip|x-remote-.*)$/;

/**
 * Returns the method of a request whose end every hop must determine identically (RFC 9112 6). Rejects a request that
 * Node's parser accepts but another may interpret differently, with 400, or with 405 for a method without a verb. The
 * parser itself rejects two lengths, a length with an encoding, folded lines and line ends without CR.
 */
export function validatedMethod(request: IncomingMessage): string {
  const { method = '', headersDistinct } = request;
  if (!METHODS.has(method)) {
    const message = `method ${method} is not supported: use one of ${[...METHODS].join(', ')}`;
    throw new ApiError(405, 'MethodNotAllowed', message);
  }
  for (const name of SINGLE_HEADERS) {
    if ((headersDistinct[name]?.length ?? 0) > 1) throw badRequest(`the header ${name} is duplicated: send it once`);
  }
  for (const name of connectionOptions(request.headers.connection)) {
    if (FRAMING_HEADERS.test(name)) {
      throw badRequest(`the header Connection lists ${name}, which is an end-to-end header: remove it from Connection`);
    }
  }
  if (hasBody(request) && BODYLESS_METHODS.has(method)) {
    throw badRequest(`a ${method} with a body is not supported: send it without Content-Length and Transfer-Encoding`);
  }
  return method;
}

function hasBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding === undefined) return Number(length ?? 0) !== 0;
  if (encoding.toLowerCase() === 'chunked') return true;
  throw badRequest(`transfer encoding ${JSON.stringify(encoding)} is not supported: use "chunked" or Content-Length`);
}
