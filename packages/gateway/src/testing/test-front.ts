import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import type { AuditPolicy } from '@fairway/apiserver/audit/policy-rules';
import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { Health } from '@fairway/apiserver/server/health';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { Routes } from '@fairway/apiserver/server/routes';
import { Traffic } from '@fairway/apiserver/server/traffic';
import { type Clock, systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { startTlsServer, type TlsServer } from '@fairway/kube/testing/tls-server';
import { Registry } from 'prom-client';
import { GatewayMetrics } from '../management/gateway-metrics.ts';
import { ManagementFrontEnd, type ManagementFrontEndOptions } from '../management/management-front.ts';
import { Upstream } from '../management/upstream.ts';
import { requestsCredentials } from '../requests/gateway-subresources.ts';

const allowImpersonation: Authorizer = {
  authorize: ({ verb }) => ({ allowed: verb === 'impersonate', reason: '' }),
};

export interface ScriptedFrontEnd extends TestFrontEnd {
  readonly upstream: TlsServer;
  /** Sends a request whose body, if any, the caller writes; resolves with the head of the response. */
  send(path: string, options?: RequestOptions, body?: string | null): Promise<IncomingMessage>;
  /** Closes the gateway's connections; resolves with every byte that the API server received over them. */
  requestArrived(): Promise<readonly string[]>;
}

export interface TestFrontEnd extends AsyncDisposable {
  readonly frontEnd: ManagementFrontEnd;
  readonly server: TlsServer;
  readonly audit: RecordedAudit;
  readonly traffic: Traffic;
  /** The gateway's metrics. */
  readonly registry: Registry;
  /** The gateway's responses, latest last. */
  readonly openResponses: readonly ServerResponse[];
  /** Resolves when every received request has been processed. */
  requestsFinished(): Promise<void>;
}

/** Differences from the default options. */
export interface FrontEndOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly clock?: Clock;
  readonly authorizer?: Authorizer;
  /** The audit policy, instead of the built-in one. */
  readonly policy?: AuditPolicy;
  readonly respondToRequest?: ManagementFrontEndOptions['respondToRequest'];
  readonly tracer?: Tracer;
  readonly announceWrite?: ManagementFrontEndOptions['announceWrite'];
}

/** A gateway front end that authenticates every client as `user`, over connections that its creator closes. */
export async function startFrontEnd(
  upstream: Upstream,
  user: UserInfo,
  options: FrontEndOptions = {},
): Promise<TestFrontEnd> {
  const { limits, clock = systemClock, authorizer = allowImpersonation } = options;
  const traffic = new Traffic({ limits, clock });
  const audit = new RecordedAudit(systemClock, requestsCredentials, options.policy);
  const registry = new Registry();
  const rejectUnexpected = () => Promise.reject(new Error('not a part of this test'));
  const frontEnd = new ManagementFrontEnd({
    upstream,
    authenticators: [{ authenticate: () => Promise.resolve(user) }],
    authorizer,
    health: new Health(),
    routes: new Routes(),
    respondToRequest: options.respondToRequest ?? rejectUnexpected,
    respondToReview: rejectUnexpected,
    webhookKey: () => 'secret',
    traffic,
    metrics: new GatewayMetrics(registry),
    auditor: audit.auditor,
    tracer: options.tracer,
    announceWrite: options.announceWrite,
    log: silentLogger,
  });
  const openResponses: ServerResponse[] = [];
  const server = await startTlsServer((incoming, response) => {
    openResponses.push(response);
    frontEnd.handler(incoming, response);
  });
  const requestsFinished = async () => {
    await Promise.all(
      openResponses.filter((rawResponse) => !rawResponse.closed).map((rawResponse) => once(rawResponse, 'close')),
    );
  };
  return {
    frontEnd,
    server,
    traffic,
    registry,
    audit,
    requestsFinished,
    openResponses,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** A gateway front end that authenticates every client as `user`, with a scripted API server. */
export async function startScriptedFrontEnd(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  user: UserInfo,
  options?: FrontEndOptions,
): Promise<ScriptedFrontEnd> {
  const upstream = await startTlsServer(listener);
  const connections = new Upstream({
    server: upstream.url,
    certificateAuthority: upstream.authority.certificatePem,
    bearerToken: () => 'the-gateway',
  });
  const testFrontEnd = await startFrontEnd(connections, user, options);
  const { server } = testFrontEnd;
  return {
    ...testFrontEnd,
    upstream,
    async send(path, options = {}, body = null) {
      const { port } = new URL(server.url);
      const ca = server.authority.certificatePem;
      const outgoing = request({ host: '127.0.0.1', port, ca, path, agent: false, ...options });
      outgoing.end(body ?? undefined);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      return incoming;
    },
    async requestArrived() {
      const open = [...upstream.connections.open].map((socket) => once(socket, 'close'));
      connections.close();
      await Promise.all(open);
      return upstream.received;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      connections.close();
      await upstream.close();
    },
  };
}
