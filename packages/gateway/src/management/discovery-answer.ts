import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { acceptsJson, notAcceptable, parseAccept } from '@fairway/apiserver/server/negotiation';
import type { Answer, ApiRequest } from '@fairway/apiserver/server/request';
import { discoveryView } from './discovery-view.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import type { Upstream } from './upstream.ts';

/** Requests discovery from the API server as the caller, and filters the response for tenants. */
export async function discoveryAnswer(
  upstream: Upstream,
  request: ApiRequest,
  user: ImpersonationHeaders,
): Promise<Answer> {
  const { method, path, headers, signal } = request;
  const answer = await upstream.send({
    method: 'GET',
    path,
    headers: {
      ...user,
      accept: jsonAccept(headers['accept']),
      'user-agent': headers['user-agent'] ?? 'fairway-gateway',
    },
    signal: signal ?? new AbortController().signal,
  });
  const contentType = answer.headers['content-type'] ?? 'application/json';
  const body = await text(answer);
  if (answer.statusCode !== 200) {
    return { status: answer.statusCode ?? 502, headers: { 'content-type': contentType }, body };
  }
  const shown = JSON.stringify(discoveryView(JSON.parse(body), headers['host'] ?? ''));
  const etag = `"${createHash('sha256').update(shown).digest('hex').toUpperCase()}"`;
  const described = { 'content-type': contentType, etag, vary: 'Accept' };
  if (headers['if-none-match'] === etag) return { status: 304, headers: described, body: '' };
  return { status: 200, headers: described, body: method === 'HEAD' ? '' : shown };
}

/** The caller's JSON clauses of Accept, in any form: other encodings can't be filtered. */
function jsonAccept(accept: string | undefined): string {
  const clauses = (accept ?? '').split(',').filter((clause) => parseAccept(clause).some(acceptsJson));
  if (clauses.length === 0) throw notAcceptable();
  return clauses.join(',').trim() || 'application/json';
}
