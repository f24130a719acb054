import type { Transport } from '@fairway/kube/client/transport';
import { TooManyObjectsError } from './tenant-facts.ts';

/**
 * A transport that limits the total number of characters in responses: a tenant's objects may be a megabyte each.
 * Streams are not counted.
 */
export function meteredTransport(transport: Transport, maxLength: number): Transport {
  let length = 0;
  return {
    async request(request) {
      const response = await transport.request(request);
      const text = async (): Promise<string> => {
        const body = await response.text();
        length += body.length;
        if (length > maxLength) throw new TooManyObjectsError(`its objects exceed ${maxLength / 2 ** 20} MiB`);
        return body;
      };
      return { status: response.status, headers: response.headers, text, lines: () => response.lines() };
    },
    close: () => transport.close(),
  };
}
