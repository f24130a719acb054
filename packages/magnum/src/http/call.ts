import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Caller } from '../caller.ts';
import type { MagnumServices } from '../services.ts';

/** One request of somebody who is known. */
export interface Call {
  readonly caller: Caller;
  /** Its own id, as the client is told. */
  readonly requestId: string;
  /** Fairway's API as the caller. */
  readonly client: KubeClient;
  readonly services: MagnumServices;
  /** Minor version of the API: 14 of 1.14. */
  readonly minor: number;
  /** Parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The caller's token, to make a trust with. */
  readonly token: string;
  /** Where clients reach this API, without a path. */
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
  /** First minor version that has it. */
  readonly since?: number;
  /** Magnum's name of it in policies. */
  readonly action: string;
  readonly handle: (call: Call) => Promise<Reply>;
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}
