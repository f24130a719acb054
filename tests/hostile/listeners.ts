import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { keystoneSettings } from '@fairway/identity/settings';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';

export interface HostileRequest {
  /** The listener that receives the request. */
  readonly at: 'api' | 'magnum';
  /** Unauthenticated by default; a member has a Keystone token, the administrator a certificate. */
  readonly as?: 'member' | 'administrator';
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * A whole `fairway up` with all of its listeners, in this process and on this thread, so that its work can be measured.
 */
export class HostileTarget {
  /** The administrator's client. */
  readonly client: KubeClient;
  readonly #urls: Readonly<Record<HostileRequest['at'], string>>;
  readonly #agents: Readonly<Record<'stranger' | 'administrator', Agent>>;
  readonly #token: string;
  readonly #close: () => Promise<void>;

  private constructor(parts: {
    readonly client: KubeClient;
    readonly urls: Readonly<Record<HostileRequest['at'], string>>;
    readonly agents: Readonly<Record<'stranger' | 'administrator', Agent>>;
    readonly token: string;
    readonly close: () => Promise<void>;
  }) {
    this.client = parts.client;
    this.#urls = parts.urls;
    this.#agents = parts.agents;
    this.#token = parts.token;
    this.#close = parts.close;
  }

  static async start(): Promise<HostileTarget> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-hostile-'));
    const home = new Home(join(folder, 'home'));
    const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
    const anyLocalPort = { host: '127.0.0.1', port: 0 };
    const fairway = await up({
      home,
      ...anyLocalPort,
      cloud: undefined,
      keystone: keystoneSettings('simulator'),
      magnumListen: anyLocalPort,
      externalAutoscalerListen: anyLocalPort,
      latency: 'none',
      defaultImage: undefined,
      version: '0.0.0',
      ...cloudOptions,
    });
    const { transport } = await loadKubeConnection({ path: home.kubeconfig });
    const ca = await readFile(home.apiAuthority, 'utf8');
    const { certificate, privateKey } = (await transport.clientCertificate?.()) ?? {};
    const agents = {
      stranger: new Agent({ ca, keepAlive: true, maxSockets: 1 }),
      administrator: new Agent({ ca, keepAlive: true, maxSockets: 1, cert: certificate, key: privateKey }),
    };
    const cloud = openCloud(readCloudsYaml(home.cloudsYaml), 'simulator', cloudOptions);
    const { id: token } = await cloud.client().session.token();
    const client = new KubeClient(new HttpsTransport(transport), { clock: systemClock });
    return new HostileTarget({
      client,
      urls: { api: fairway.url, magnum: fairway.magnumUrl ?? '' },
      agents,
      token,
      close: async () => {
        client.close();
        for (const agent of Object.values(agents)) agent.destroy();
        await cloud.close();
        await fairway.stop();
        await rm(folder, { recursive: true });
      },
    });
  }

  /** The status; 0 if the connection ended without one; undefined if no Node client can send such a request. */
  async send({ at, as, method, path, headers = {}, body }: HostileRequest): Promise<number | undefined> {
    const agent = as === 'administrator' ? this.#agents.administrator : this.#agents.stranger;
    const own = at === 'magnum' ? { 'x-auth-token': this.#token } : { authorization: `Bearer ${this.#token}` };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    try {
      const sent = request(
        new URL(this.#urls[at]),
        { agent, method, path, headers: { ...(as === 'member' && own), ...length, ...headers } },
        (response) => {
          response.resume();
          response.once('close', () => resolve(response.statusCode ?? 0));
        },
      );
      sent.once('error', () => resolve(0));
      sent.end(body);
    } catch {
      return undefined;
    }
    return promise;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
