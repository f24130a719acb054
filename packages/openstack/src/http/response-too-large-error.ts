import { OpenStackError, type OpenStackErrorOptions } from './openstack-error.ts';

type ResponseErrorOptions = Pick<
  OpenStackErrorOptions,
  'service' | 'method' | 'template' | 'message' | 'host' | 'cause'
>;

/**
 * Thrown for a response too large to parse in one go. The same call would get the same response; only a call for fewer items may
 * succeed.
 */
export class ResponseTooLargeError extends OpenStackError {
  constructor({ service, method, template, message, host, cause }: ResponseErrorOptions) {
    const outcome = method === 'GET' ? 'notDone' : 'unknown';
    super({ kind: 'unavailable', status: 200, service, method, template, message, outcome, host, cause });
  }
}
