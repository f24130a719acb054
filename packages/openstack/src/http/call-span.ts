import type { Span } from '@fairway/base/tracing';
import { isOpenStackError } from './openstack-error.ts';
import { type HttpMethod, type HttpResponse, requestIdOf } from './transport.ts';

/** The parts of a call that its span records. */
interface TracedCall {
  readonly service: string;
  readonly method: HttpMethod;
  readonly template: string;
  readonly url: string;
  readonly project?: string | undefined;
}

/**
 * The span of a call with all of its attempts; undefined if it is not recorded. Has no object ids in its name and
 * contains no credentials.
 */
export function callSpan(parentSpan: Span, call: TracedCall, cloud: string): Span | undefined {
  const { service, method, template, project, url } = call;
  return parentSpan.child(`${method} ${template}`, {
    kind: 'client',
    attributes: {
      'openstack.cloud': cloud,
      'openstack.service': service,
      'openstack.project_id': project,
      'http.request.method': method,
      'url.template': template,
      'server.address': URL.canParse(url) ? new URL(url).hostname : undefined,
    },
  });
}

export function recordResponse(span: Span, response: HttpResponse): void {
  span.set({ 'http.response.status_code': response.status, 'openstack.request_id': requestIdOf(response) });
}

/** Without the service's message, which quotes user input. */
export function failed(span: Span, error: unknown): void {
  if (!isOpenStackError(error)) return span.fail(error instanceof Error ? error.name : 'aborted');
  span.set({ 'http.response.status_code': error.status, 'openstack.request_id': error.requestId });
  span.fail(error.kind);
}
