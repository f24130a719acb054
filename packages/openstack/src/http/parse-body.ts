import { ZodError, type ZodType } from 'zod';
import { OpenStackError } from './openstack-error.ts';
import { ResponseTooLargeError } from './response-too-large-error.ts';
import { type HttpMethod, type HttpResponse, requestIdOf } from './transport.ts';

/**
 * Parsing more would block other work for too long, whatever the number of bytes: a page of a thousand servers has
 * about ten thousand objects.
 */
const MAX_STRUCTURES = 250_000;
const MAX_VALUES = 1_000_000;

/**
 * Parses the response's JSON with a schema; otherwise throws `unavailable`, since it came from a proxy or another
 * service.
 */
export function parseBody<T>(
  schema: ZodType<T>,
  response: HttpResponse,
  call: { readonly service: string; readonly method: HttpMethod; readonly template: string },
): T {
  if (isTooMuch(response.body)) {
    const message = `the response has more than ${MAX_STRUCTURES} objects and lists, or ${MAX_VALUES} values`;
    throw new ResponseTooLargeError({ ...call, message });
  }
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

/** Counts structural characters, including those within strings. */
function isTooMuch(json: string): boolean {
  if (json.length < MAX_STRUCTURES) return false;
  let structures = 0;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        structures += 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
    }
  }
  return structures > MAX_STRUCTURES || values > MAX_VALUES;
}
