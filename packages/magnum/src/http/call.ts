import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Caller } from '../caller.ts';
import type { MagnumServices } from '../services.ts';

/** One authenticated request. */
export interface Call {
  readonly caller: Caller;
  /** Request ID, as returned to the client. */
  readonly requestId: string;
  /** A client of Fairway's API with the caller's identity. */
  readonly client: KubeClient;
  /** Warnings of Fairway's API about fields, in response to requests of `client` so far; in Magnum's words. */
  readonly warnings: ReadonlySet<string>;
  readonly services: MagnumServices;
  /** Minor version of the API: 14 for 1.14. */
  readonly minor: number;
  /** Path parameters of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The caller's token, for creating a trust. */
  readonly token: string;
  /** URL of this API without a path. */
  readonly url: string;
  readonly clock: Clock;
}

export interface Reply {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`: `clusters/{cluster}/actions/resize`. */
  readonly path: string;
  /** First minor version with this route. */
  readonly since?: number;
  /** Name of the action in Magnum's policy. */
  readonly action: string;
  readonly handle: (call: Call) => Promise<Reply>;
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}
