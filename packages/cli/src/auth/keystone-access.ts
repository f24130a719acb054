import { readFileSync } from 'node:fs';
import type { Clock } from '@fairway/base/clock';
import { isAccepted, revoke } from '@fairway/openstack/auth/own-token';
import { Budget, DEFAULT_BUDGET } from '@fairway/openstack/http/budget';
import { HttpClient } from '@fairway/openstack/http/http-client';
import { openTransport } from '@fairway/openstack/http/open-transport';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { FAIRWAY_VERSION } from '@fairway/service/version';

/** Connections for a sign-in: to Keystone and to its identity provider. */
export interface KeystoneAccess {
  readonly http: HttpClient;
  readonly transport: HttpTransport;
  /** Whether Keystone still accepts a token. */
  isAccepted(token: string): Promise<boolean>;
  revoke(token: string): Promise<void>;
}

const MAX_CONNECTIONS = 4;
/** Short, because a person is waiting. */
const TIMEOUTS = { attemptMs: 20_000, totalMs: 45_000 };

export function openKeystone({ cloud, authUrl, tls }: SignInConfig, clock: Clock): KeystoneAccess {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  const transport = openTransport(tls, { readFile, connections: MAX_CONNECTIONS });
  const http = new HttpClient({
    cloud,
    transport,
    clock,
    random: Math.random,
    budget: new Budget(clock, DEFAULT_BUDGET),
    userAgent: `fairway/${FAIRWAY_VERSION}`,
    timeouts: TIMEOUTS,
  });
  return {
    http,
    transport,
    isAccepted: (token) => isAccepted(http, authUrl, token),
    revoke: (token) => revoke(http, authUrl, token),
  };
}
