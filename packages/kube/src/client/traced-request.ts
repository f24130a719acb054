import { inSpan, type Span } from '@fairway/base/tracing';
import { isApiError } from '../object/api-error.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Sends a request in a child span of `around`, and propagates that span to the server. */
export async function sendTraced(
  around: Span,
  request: TransportRequest,
  send: (request: TransportRequest) => Promise<TransportResponse>,
): Promise<TransportResponse> {
  const { method, path, headers } = request;
  const { resource, ...attributes } = targetOf(path);
  const span = around.child(`${method} ${resource}`, {
    kind: 'client',
    attributes: { 'http.request.method': method, ...attributes },
  });
  if (span === undefined) return send(request);
  try {
    const tracedRequest = { ...request, headers: { ...headers, traceparent: span.traceparent } };
    const response = await inSpan(span, () => send(tracedRequest));
    span.set({ 'http.response.status_code': response.status });
    return response;
  } catch (error) {
    if (isApiError(error)) span.set({ 'http.response.status_code': error.code });
    span.fail(isApiError(error) ? error.reason : 'no_answer');
    throw error;
  } finally {
    span.end();
  }
}

/**
 * The resource and object in a path: for `/apis/fairway.dev/v1alpha1/namespaces/team/nodepools/demo/status`,
 * `nodepools/status` and the object `demo`.
 */
function targetOf(path: string): { readonly resource: string } & Record<string, string | undefined> {
  const [pathname = ''] = path.split('?');
  const parts = pathname.split('/').filter((part) => part !== '');
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : undefined;
  if (rest === undefined) return { resource: parts[0] ?? '' };
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural = '', name, ...subresource] = isNamespaced ? rest.slice(2) : rest;
  return {
    resource: [plural, ...subresource.slice(0, 1)].join('/'),
    'k8s.namespace.name': isNamespaced ? rest[1] : undefined,
    'fairway.object.name': name,
  };
}
