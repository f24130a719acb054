import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { z } from 'zod';
import { TOKEN_WEBHOOK_CLIENT, TOKEN_WEBHOOK_HOST } from '../pki/component-certificates.ts';
import type { ReviewToken } from '../runtime.ts';
import type { Destination } from './egress/connect-request.ts';

export const TOKEN_WEBHOOK_URL = `https://${TOKEN_WEBHOOK_HOST}/v1/token-reviews`;
const PATH = new URL(TOKEN_WEBHOOK_URL).pathname;
const PORT = 443;
const VERSION = 'authentication.k8s.io/v1';
/** Headers bound tokens to less; whatever has more is nobody's. */
const MAX_BODY_BYTES = 64 * 1024;
/** A handshake costs this process a signature, also for a webhook of the tenant's; an API server keeps its connections. */
export const CONNECTIONS: Rate = { burst: 100, perMinute: 300 };
const HANDSHAKE_MS = 10_000;
const IDLE_MS = 120_000;

const Review = z.object({
  apiVersion: z.literal(VERSION),
  kind: z.literal('TokenReview'),
  spec: z.object({ token: z.string() }),
});

/** PEM. */
export interface WebhookTls {
  readonly certificate: string;
  readonly privateKey: string;
  /** Of the authority that signs the API server's certificate for this webhook, and nothing of the tenant's. */
  readonly clientAuthority: string;
}

export function isTokenWebhook({ host, port }: Destination): boolean {
  return host.replace(/\.$/, '').toLowerCase() === TOKEN_WEBHOOK_HOST && port === PORT;
}

/**
 * Answers one cluster's kube-apiserver whose a bearer token is: `--authentication-token-webhook-config-file`.
 *
 * **Guarantees.** Only that API server is answered: connections come over its cluster's own socket, and with a certificate that it shows nowhere else, so that
 * webhooks and API services of the tenant, which lead the same way, ask nothing. It always answers 200: what fails counts as nobody's token, and
 * is not asked about again at once.
 */
export class TokenWebhook {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #connections = new TokenBuckets(CONNECTIONS, 1);
  #review: ReviewToken;
  #tls: WebhookTls;

  constructor(tls: WebhookTls, review: ReviewToken, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#tls = tls;
    this.#review = review;
    this.#log = log;
    this.#server = createServer(
      { ...optionsOf(tls), handshakeTimeout: HANDSHAKE_MS, keepAliveTimeout: IDLE_MS },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.setTimeout(IDLE_MS);
    this.#server.on('tlsClientError', (error) =>
      log.info({ reason: error.message }, 'a token webhook refused a client'),
    );
  }

  /** For new connections, and for requests on those that there are. */
  update(tls: WebhookTls, review: ReviewToken): void {
    this.#review = review;
    if (JSON.stringify(tls) === JSON.stringify(this.#tls)) return;
    this.#tls = tls;
    this.#server.setSecureContext(optionsOf(tls));
  }

  /** What is still asked is answered as about nobody's. */
  close(): void {
    this.#review = () => Promise.resolve(undefined);
  }

  /** Serves a connection that somebody else has accepted, and closes. There may be only so many a minute. */
  serve(socket: Socket): void {
    if (!this.#connections.take('', this.#clock.now())) return void socket.destroy();
    this.#server.emit('connection', socket);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = (code: number) => void response.writeHead(code, { connection: 'close' }).end();
    try {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      if (subject?.CN !== TOKEN_WEBHOOK_CLIENT) return status(403);
      const { pathname } = new URL(request.url ?? '/', TOKEN_WEBHOOK_URL);
      if (request.method !== 'POST' || pathname !== PATH) return status(404);
      const body = await textOf(request);
      if (body === undefined) return status(413);
      const user = await this.#reviewed(body);
      const json = JSON.stringify({ apiVersion: VERSION, kind: 'TokenReview', status: statusOf(user) });
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    } catch (error) {
      this.#log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a token review failed');
      if (!response.headersSent) status(400);
    }
  }

  async #reviewed(body: string): Promise<UserInfo | undefined> {
    const { data } = Review.safeParse(JSON.parse(body));
    if (data === undefined) throw new Error(`it is no TokenReview of ${VERSION}`);
    return this.#review(data.spec.token);
  }
}

function optionsOf({ certificate, privateKey, clientAuthority }: WebhookTls) {
  return {
    cert: certificate,
    key: privateKey,
    ca: clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3' as const,
  };
}

function statusOf(user: UserInfo | undefined): object {
  return user === undefined ? { authenticated: false } : { authenticated: true, user };
}

/** Undefined if there is too much of it. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
