import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fairway/kube/client/transport';

/**
 * The fault injected into a request:
 * - `answer`: the server returns this status, and does nothing;
 * - `breaksBefore`, `breaksAfter`: the connection breaks before or after the server has handled it;
 * - `expires`: a watch immediately receives the error that its version is too old.
 */
export type ApiFault =
  | {
      readonly kind: 'answer';
      readonly status: 200 | 403 | 409 | 429 | 500 | 503;
      readonly retryAfterSeconds?: number;
      /** A Status, as JSON. */
      readonly body?: string;
    }
  | { readonly kind: 'breaksBefore' | 'breaksAfter' | 'expires' };

/** Called for each request; undefined lets it through. */
export type ChooseApiFault = (request: TransportRequest) => ApiFault | undefined;

/** A transport with injected faults. */
export function unreliable(transport: Transport, choose: ChooseApiFault): Transport {
  return {
    async request(request) {
      const fault = choose(request);
      switch (fault?.kind) {
        case undefined:
          return transport.request(request);
        case 'answer':
          return refusal(fault.status, fault.retryAfterSeconds, fault.body);
        case 'breaksBefore':
          throw new TransportError(`${request.method} ${request.path}: the connection broke`);
        case 'breaksAfter':
          await (await transport.request(request)).text();
          throw new TransportError(`${request.method} ${request.path}: the connection broke`);
        case 'expires':
          return expired();
      }
    },
    close: () => transport.close(),
  };
}

function refusal(status: number, retryAfterSeconds: number | undefined, body = ''): TransportResponse {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status, headers, text: () => Promise.resolve(body), lines: () => lines(body) };
}

function expired(): TransportResponse {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
  const event = JSON.stringify({ type: 'ERROR', object: status });
  return { status: 200, headers: {}, text: () => Promise.resolve(event), lines: () => lines(event) };
}

async function* lines(text: string): AsyncGenerator<string> {
  yield text;
}
