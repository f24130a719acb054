import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { TOKEN_WEBHOOK_CLIENT, TOKEN_WEBHOOK_HOST } from '../pki/component-certificates.ts';
import type { ControlPlaneSpec, ReviewToken } from '../runtime.ts';
import type { Destination } from './egress/connect-request.ts';
import { handleAccessReview, handleTokenReview } from './reviews.ts';

export const TOKEN_WEBHOOK_URL = `https://${TOKEN_WEBHOOK_HOST}/v1/token-reviews`;
export const ACCESS_WEBHOOK_URL = `https://${TOKEN_WEBHOOK_HOST}/v1/access-reviews`;

const PORT = 443;
/** The maximum header size also limits tokens; a longer token is invalid. */
const MAX_BODY_BYTES = 64 * 1024;
/**
 * Each handshake makes this process compute a signature, even for the tenant's own webhooks; an API server reuses its
 * connections.
 */
export const CONNECTION_RATE: Rate = { burst: 100, perMinute: 300 };
/** Any client can send new tokens to an API server at any rate. */
export const REQUEST_RATE: Rate = { burst: 500, perMinute: 3_000 };
const HANDSHAKE_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;

/** The reviewers behind a webhook. */
export type Reviews = Pick<ControlPlaneSpec, 'reviewAccess'> & { readonly reviewToken: ReviewToken };

type ReviewHandler = (body: unknown, reviews: Reviews) => Promise<object>;

const REVIEW_HANDLERS: ReadonlyMap<string, ReviewHandler> = new Map<string, ReviewHandler>([
  [new URL(TOKEN_WEBHOOK_URL).pathname, (body, { reviewToken }) => handleTokenReview(body, reviewToken)],
  [new URL(ACCESS_WEBHOOK_URL).pathname, (body, { reviewAccess }) => handleAccessReview(body, reviewAccess)],
]);

const NO_REVIEWS: Reviews = { reviewToken: () => Promise.resolve(undefined) };

/** PEM. */
export interface WebhookTls {
  readonly certificate: string;
  readonly privateKey: string;
  /**
   * PEM of the authority that signs the API server's certificate for this webhook. It signs nothing for the
   * tenant.
   */
  readonly clientAuthority: string;
}

export function isTokenWebhook({ host, port }: Destination): boolean {
  return host.replace(/\.$/, '').toLowerCase() === TOKEN_WEBHOOK_HOST && port === PORT;
}

/**
 * Authenticates bearer tokens for one cluster's kube-apiserver: `--authentication-token-webhook-config-file`.
 *
 * **Guarantees.** It responds only to that API server: connections arrive over its cluster's own socket, with a
 * certificate that the API server presents nowhere else, so the tenant's webhooks and API services, which use the same
 * socket, cannot use it. It always responds with status 200: a token whose review fails is rejected, and not
 * immediately reviewed again.
 */
export class TokenWebhook {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #connections = new TokenBuckets(CONNECTION_RATE, 1);
  readonly #requests = new TokenBuckets(REQUEST_RATE, 1);
  #reviews: Reviews;
  #tls: WebhookTls;

  constructor(tls: WebhookTls, reviews: Reviews, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#tls = tls;
    this.#reviews = reviews;
    this.#log = log;
    this.#server = createServer(
      { ...optionsOf(tls), handshakeTimeout: HANDSHAKE_TIMEOUT_MS, keepAliveTimeout: IDLE_TIMEOUT_MS },
      (request, response) => void this.#respond(request, response),
    );
    this.#server.setTimeout(IDLE_TIMEOUT_MS);
    this.#server.on('tlsClientError', (error) =>
      log.info({ reason: error.message }, 'a token webhook rejected a client'),
    );
  }

  /** Sets the reviewer for subsequent requests; undefined rejects all tokens. */
  setReviews(reviews: Reviews | undefined): void {
    this.#reviews = reviews ?? NO_REVIEWS;
  }

  /** Sets TLS for new connections. */
  setTls(tls: WebhookTls): void {
    if (JSON.stringify(tls) === JSON.stringify(this.#tls)) return;
    this.#tls = tls;
    this.#server.setSecureContext(optionsOf(tls));
  }

  /**
   * Serves a connection that another listener has accepted, and closes it. The number of connections per minute is
   * limited.
   */
  serve(socket: Socket): void {
    if (!this.#connections.tryTake('', this.#clock.now())) return void socket.destroy();
    this.#server.emit('connection', socket);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = (code: number) => void response.writeHead(code, { connection: 'close' }).end();
    try {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      if (subject?.CN !== TOKEN_WEBHOOK_CLIENT) return status(403);
      // kube-apiserver does not retry this status.
      if (!this.#requests.tryTake('', this.#clock.now())) return status(503);
      const endpoint = REVIEW_HANDLERS.get(new URL(request.url ?? '/', TOKEN_WEBHOOK_URL).pathname);
      if (request.method !== 'POST' || endpoint === undefined) return status(404);
      const body = await textOf(request);
      if (body === undefined) return status(413);
      const reviewResult = await endpoint(JSON.parse(body), this.#reviews);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reviewResult));
    } catch (error) {
      this.#log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a token review failed');
      if (!response.headersSent) status(400);
    }
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

/** Undefined if the body is too long. */
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
