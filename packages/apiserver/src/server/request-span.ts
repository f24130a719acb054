import type { RequestSpan, Tracer } from '@fairway/base/tracing';
import type { UserInfo } from '../auth/user.ts';
import { ANONYMOUS } from '../auth/well-known-users.ts';
import { routeOf } from './router.ts';
import { holderOf } from './traffic.ts';

interface TracedRequest {
  readonly method: string;
  /** Excludes the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly auditId: string;
}

/** Starts the span of a resource request. The user is recorded only in the audit log, under the audit ID. */
export function beginRequestSpan(tracer: Tracer, request: TracedRequest): RequestSpan | undefined {
  const { method, path, query, headers, auditId } = request;
  if (!path.startsWith('/api')) return undefined;
  const { traceparent } = headers;
  return tracer.request(typeof traceparent === 'string' ? traceparent : undefined, () => {
    const route = routeOf(method, path, query);
    if (route.kind === 'other') return { name: method, attributes: { 'http.request.method': method } };
    const { group, plural, namespace, name, subresource } = route.path;
    const resource = [group === '' ? plural : `${plural}.${group}`, ...(subresource === '' ? [] : [subresource])];
    return {
      name: `${route.verb} ${resource.join('/')}`,
      attributes: {
        'http.request.method': method,
        'k8s.namespace.name': namespace === '' ? undefined : namespace,
        'fairway.object.name': name === '' ? undefined : name,
        'audit-id': auditId,
      },
    };
  });
}

/** Call it once the client is authenticated: unauthenticated clients must not be able to force a trace. */
export function admitRequest(span: RequestSpan, user: UserInfo): void {
  if (user.username !== ANONYMOUS) span.admit(holderOf(user));
}

/** @param status status of the response; undefined if the client disconnected first. */
export function endRequestSpan(span: RequestSpan, status: number | undefined): void {
  span.set({ 'http.response.status_code': status });
  if (status === undefined) span.fail('client_gone');
  else if (status >= 500) span.fail(String(status));
  span.end();
}
