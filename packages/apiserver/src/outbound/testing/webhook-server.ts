import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

/** The part of reviews that tests use. */
export interface ReceivedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly [field: string]: unknown;
  };
}

export interface WebhookResponse {
  /** Sent as JSON unless it is a string. */
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A webhook's response; undefined means no response. */
export type WebhookBehavior = (review: ReceivedReview) => WebhookResponse | undefined;

/** An HTTPS server for webhooks on this machine, each with its own path. */
export class WebhookServer implements AsyncDisposable {
  readonly caBundle: string;
  /** Received requests by path. */
  readonly reviewsByPath = new Map<string, ReceivedReview[]>();
  readonly #server: Server;
  readonly #behaviors = new Map<string, WebhookBehavior>();

  private constructor(server: Server, caBundle: string) {
    this.#server = server;
    this.caBundle = caBundle;
    server.on('request', (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedReview;
        this.reviewsByPath.set(path, [...(this.reviewsByPath.get(path) ?? []), review]);
        const reply = this.#behaviors.get(path)?.(review);
        if (reply === undefined) return;
        const { body, status = 200, headers } = reply;
        const contentType = typeof body === 'string' ? 'text/plain' : 'application/json';
        response.writeHead(status, { 'content-type': contentType, ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  }

  static async open(): Promise<WebhookServer> {
    const authority = await createCertificateAuthority({
      commonName: 'webhooks',
      clock: systemClock,
      validityMs: 3_600_000,
    });
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
      commonName: 'webhooks',
      ipAddresses: ['127.0.0.1'],
      dnsNames: ['localhost', 'hooks.default.svc'],
      usages: 'server',
      validityMs: 3_600_000,
      clock: systemClock,
    });
    const server = createServer({ cert: certificatePem, key: privateKeyPem });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookServer(server, Buffer.from(authority.certificatePem).toString('base64'));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `https://127.0.0.1:${this.port}${path}`;
  }

  reply(path: string, behavior: WebhookBehavior): void {
    this.#behaviors.set(path, behavior);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** An AdmissionReview that allows by default. */
export function reviewResponse({ request }: ReceivedReview, response: object = {}): WebhookResponse {
  return {
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: true, ...response },
    },
  };
}

/** The JSON Patch part of a response. */
export function patchResponse(...operations: readonly object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
