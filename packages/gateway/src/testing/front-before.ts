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
import { ManagementFront, type ManagementFrontOptions } from '../management/management-front.ts';
import { Upstream } from '../management/upstream.ts';
import { asksForCredentials } from '../requests/answered-here.ts';

const impersonationAlone: Authorizer = {
  authorize: ({ verb }) => ({ allowed: verb === 'impersonate', reason: '' }),
};

export interface FrontBefore extends FrontOver {
  readonly upstream: TlsServer;
  /** Sends a request whose body the caller writes, if any; resolves with the head of the response. */
  send(path: string, options?: RequestOptions, body?: string | null): Promise<IncomingMessage>;
  /** Closes the front's connections; resolves with every byte that the API server received over them. */
  arrived(): Promise<readonly string[]>;
}

export interface FrontOver extends AsyncDisposable {
  readonly front: ManagementFront;
  readonly server: TlsServer;
  readonly audit: RecordedAudit;
  readonly traffic: Traffic;
  /** The front's metrics. */
  readonly registry: Registry;
  /** The front's responses, latest last. */
  readonly answers: readonly ServerResponse[];
  /** Resolves when every received request is finished. */
  answered(): Promise<void>;
}

/** Differences from the default front. */
export interface FrontOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly clock?: Clock;
  readonly authorizer?: Authorizer;
  /** Of the audit log, instead of the built-in one. */
  readonly policy?: AuditPolicy;
  readonly answerRequest?: ManagementFrontOptions['answerRequest'];
  readonly tracer?: Tracer;
  readonly announceWrite?: ManagementFrontOptions['announceWrite'];
}

/** A front that authenticates everybody as `user`, over connections that its creator closes. */
export async function frontOver(upstream: Upstream, user: UserInfo, options: FrontOptions = {}): Promise<FrontOver> {
  const { limits, clock = systemClock, authorizer = impersonationAlone } = options;
  const traffic = new Traffic({ limits, clock });
  const audit = new RecordedAudit(systemClock, asksForCredentials, options.policy);
  const registry = new Registry();
  const nowhere = () => Promise.reject(new Error('not a part of this test'));
  const front = new ManagementFront({
    upstream,
    authenticators: [{ authenticate: () => Promise.resolve(user) }],
    authorizer,
    health: new Health(),
    routes: new Routes(),
    answerRequest: options.answerRequest ?? nowhere,
    answerReview: nowhere,
    webhookKey: () => 'secret',
    traffic,
    metrics: new GatewayMetrics(registry),
    auditor: audit.auditor,
    tracer: options.tracer,
    announceWrite: options.announceWrite,
    log: silentLogger,
  });
  const answers: ServerResponse[] = [];
  const server = await startTlsServer((incoming, response) => {
    answers.push(response);
    front.handler(incoming, response);
  });
  const answered = async () => {
    await Promise.all(answers.filter((answer) => !answer.closed).map((answer) => once(answer, 'close')));
  };
  return { front, server, traffic, registry, audit, answered, answers, [Symbol.asyncDispose]: () => server.close() };
}

/** A front that authenticates everybody as `user`, with an API server that the test scripts. */
export async function frontBefore(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  user: UserInfo,
  options?: FrontOptions,
): Promise<FrontBefore> {
  const upstream = await startTlsServer(listener);
  const connections = new Upstream({
    server: upstream.url,
    certificateAuthority: upstream.authority.certificatePem,
    bearerToken: () => 'the-gateway',
  });
  const over = await frontOver(connections, user, options);
  const { server } = over;
  return {
    ...over,
    upstream,
    async send(path, options = {}, body = null) {
      const { port } = new URL(server.url);
      const ca = server.authority.certificatePem;
      const outgoing = request({ host: '127.0.0.1', port, ca, path, agent: false, ...options });
      outgoing.end(body ?? undefined);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      return incoming;
    },
    async arrived() {
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
