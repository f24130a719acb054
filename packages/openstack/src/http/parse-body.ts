import { ZodError, type ZodType } from 'zod';
import { OpenStackError } from './openstack-error.ts';
import { type HttpMethod, type HttpResponse, requestIdOf } from './transport.ts';

/** Parses the response's JSON by a schema; throws `unavailable` otherwise, since a proxy or another service responded. */
export function parseBody<T>(
  schema: ZodType<T>,
  response: HttpResponse,
  call: { readonly service: string; readonly method: HttpMethod; readonly template: string },
): T {
  try {
    return schema.parse(JSON.parse(response.body));
  } catch (error) {
    throw new OpenStackError({
      kind: 'unavailable',
      service: call.service,
      method: call.method,
      template: call.template,
      status: response.status,
      requestId: requestIdOf(response),
      message: `the response does not match the documented API: ${explain(error)}`,
      outcome: call.method === 'GET' ? 'notDone' : 'unknown',
      cause: error,
    });
  }
}

function explain(error: unknown): string {
  if (!(error instanceof ZodError)) return error instanceof Error ? error.message : String(error);
  const issue = error.issues[0];
  return issue === undefined ? error.message : `${issue.path.join('.')}: ${issue.message}`;
}
