import { OpenStackError, type OpenStackErrorOptions } from './openstack-error.ts';

type Answer = Pick<OpenStackErrorOptions, 'service' | 'method' | 'template' | 'message' | 'host' | 'cause'>;

/**
 * Thrown for a response too large to parse in one go. The same call would get the same response; only a call for fewer items may
 * succeed.
 */
export class AnswerTooLargeError extends OpenStackError {
  constructor({ service, method, template, message, host, cause }: Answer) {
    const outcome = method === 'GET' ? 'notDone' : 'unknown';
    super({ kind: 'unavailable', status: 200, service, method, template, message, outcome, host, cause });
  }
}
