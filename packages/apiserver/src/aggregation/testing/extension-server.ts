import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@fairway/base/clock';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

export interface ReceivedRequest {
  readonly method: string;
  /** The path and query of the request. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
  readonly body: string;
  /** The common name and issuer of the client certificate. */
  readonly client: { readonly name: string | undefined; readonly issuer: string | undefined };
}

export type Behavior = (request: ReceivedRequest, response: ServerResponse) => void;

/** Switches to a different protocol, whose bytes follow on the socket. */
export type UpgradeBehavior = (request: Omit<ReceivedRequest, 'body'>, socket: TLSSocket) => void;

export interface ExtensionServerOptions {
  /** Host name of its Service: `name.namespace.svc`. */
  readonly dnsName: string;
  readonly group: string;
  readonly version: string;
}

/**
 * An API server to aggregate, on this machine, which serves a kind Thing. Tests define what it serves besides
 * discovery.
 */
export class ExtensionServer implements AsyncDisposable {
  readonly caBundle: string;
  /** Requests made on behalf of users. */
  readonly received: ReceivedRequest[] = [];
  /** Number of requests that API servers made on their own behalf. */
  checks = 0;
  readonly #server: Server;
  readonly #behaviors = new Map<string, Behavior>();
  readonly #upgrades: Map<string, UpgradeBehavior>;

  private constructor(
    server: Server,
    upgrades: Map<string, UpgradeBehavior>,
    caBundle: string,
    { group, version }: ExtensionServerOptions,
  ) {
    this.#server = server;
    this.#upgrades = upgrades;
    this.caBundle = caBundle;
    const groupVersion = `${group}/${version}`;
    this.respond(`/apis/${groupVersion}`, (_request, response) => sendJson(response, 200, resourceList(groupVersion)));
    server.on('request', (request, response) => void this.#handle(request, response));
    server.on('upgrade', (request) => this.#upgrade(request));
  }

  static async open(options: ExtensionServerOptions): Promise<ExtensionServer> {
    const validityMs = 3_600_000;
    const authority = await createCertificateAuthority({ commonName: 'extension', clock: systemClock, validityMs });
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
      commonName: 'extension',
      dnsNames: [options.dnsName],
      usages: 'server',
      validityMs,
      clock: systemClock,
    });
    const upgrades = new Map<string, UpgradeBehavior>();
    const server = createServer({
      shouldUpgradeCallback: (request) => upgrades.has(pathOf(request)),
      cert: certificatePem,
      key: privateKeyPem,
      requestCert: true,
      rejectUnauthorized: false,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ExtensionServer(server, upgrades, Buffer.from(authority.certificatePem).toString('base64'), options);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Responds to exactly this path, with any query. */
  respond(path: string, behavior: Behavior): void {
    this.#behaviors.set(path, behavior);
  }

  /** Handles upgrade requests at this path. */
  upgrade(path: string, behavior: UpgradeBehavior): void {
    this.#upgrades.set(path, behavior);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const received = { ...headOf(request), body: Buffer.concat(chunks).toString('latin1') };
    const { headers } = received;
    if (/^system:(?:kube-aggregator|aggregator|anonymous)$/.test(String(headers['x-remote-user']))) this.checks++;
    else this.received.push(received);
    const behavior = this.#behaviors.get(pathOf(request));
    if (behavior === undefined) sendJson(response, 404, { kind: 'Status', apiVersion: 'v1', code: 404 });
    else behavior(received, response);
  }

  #upgrade(request: IncomingMessage): void {
    const received = headOf(request);
    this.received.push({ ...received, body: '' });
    request.socket.on('error', () => {});
    this.#upgrades.get(pathOf(request))?.(received, request.socket as TLSSocket);
  }
}

function headOf(request: IncomingMessage): Omit<ReceivedRequest, 'body'> {
  const { method = '', url: path = '', headers, headersDistinct } = request;
  const certificate = (request.socket as TLSSocket).getPeerCertificate();
  const client = { name: nameOf(certificate.subject), issuer: nameOf(certificate.issuer) };
  return { method, path, headers, headersDistinct, client };
}

/** The path without its query. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export function resourceList(groupVersion: string): object {
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: [
      { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs, shortNames: ['th'] },
      { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get', 'patch', 'update'] },
    ],
  };
}

function nameOf(subject: { readonly CN?: string | string[] } | undefined): string | undefined {
  return Array.isArray(subject?.CN) ? subject.CN[0] : subject?.CN;
}
