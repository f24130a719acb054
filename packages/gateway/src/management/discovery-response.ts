import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { acceptsJson, notAcceptable, parseAccept } from '@fairway/apiserver/server/negotiation';
import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import { discoveryView } from './discovery-view.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import type { Upstream } from './upstream.ts';

/** Requests discovery from the API server as the caller, and filters the response for tenants. */
export async function discoveryResponse(
  upstream: Upstream,
  request: ApiRequest,
  user: ImpersonationHeaders,
): Promise<ApiResponse> {
  const { method, path, headers, signal } = request;
  const upstreamResponse = await upstream.send({
    method: 'GET',
    path,
    headers: {
      ...user,
      accept: jsonAccept(headers['accept']),
      'user-agent': headers['user-agent'] ?? 'fairway-gateway',
    },
    signal: signal ?? new AbortController().signal,
  });
  const contentType = upstreamResponse.headers['content-type'] ?? 'application/json';
  const body = await text(upstreamResponse);
  if (upstreamResponse.statusCode !== 200) {
    return { status: upstreamResponse.statusCode ?? 502, headers: { 'content-type': contentType }, body };
  }
  const shown = JSON.stringify(discoveryView(JSON.parse(body), headers['host'] ?? ''));
  const etag = `"${createHash('sha256').update(shown).digest('hex').toUpperCase()}"`;
  const responseHeaders = { 'content-type': contentType, etag, vary: 'Accept' };
  if (headers['if-none-match'] === etag) return { status: 304, headers: responseHeaders, body: '' };
  return { status: 200, headers: responseHeaders, body: method === 'HEAD' ? '' : shown };
}

/** The caller's JSON clauses of Accept, for any discovery format: other encodings can't be filtered. */
function jsonAccept(accept: string | undefined): string {
  const clauses = (accept ?? '').split(',').filter((clause) => parseAccept(clause).some(acceptsJson));
  if (clauses.length === 0) throw notAcceptable();
  return clauses.join(',').trim() || 'application/json';
}
