import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { OWN_PAGE, TestBrowser } from '@fairway/gateway/testing/test-browser';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { RunningFairway } from '../session/running-fairway.ts';

export interface RecordedResponse {
  readonly status: number;
  readonly text: string;
}

export interface Attempt {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user of the simulated cloud, with a Keystone token. */
export interface Person {
  readonly token: string;
  readonly userId: string;
  readonly project: string;
  readonly browser: TestBrowser;
}

interface Server {
  readonly server: string;
  readonly certificateAuthority: string;
}

/** The entry points of one Fairway. */
export class TestDeployment {
  readonly #fairway: RunningFairway;
  readonly #folder: string;
  readonly #kubernetes: Server;
  readonly #magnum: Server;
  readonly #closers: (() => unknown)[] = [];

  private constructor(fairway: RunningFairway, folder: string, kubernetes: Server, authority: string) {
    this.#fairway = fairway;
    this.#folder = folder;
    this.#kubernetes = kubernetes;
    const [, server = ''] = /^ {2}magnum +(\S+)\/v1,/m.exec(fairway.output) ?? [];
    this.#magnum = { server, certificateAuthority: authority };
  }

  static async open(): Promise<TestDeployment> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-entry-points-'));
    const listen = ['--listen', '127.0.0.1:0', '--magnum-listen', '127.0.0.1:0'];
    const fairway = await RunningFairway.start(join(folder, 'home'), ...listen);
    const { transport } = await loadKubeConnection({ path: fairway.kubeconfig });
    const { server, certificateAuthority = '' } = transport;
    const [, file = ''] = /magnum .*, CA in (\S+)/.exec(fairway.output) ?? [];
    return new TestDeployment(fairway, folder, { server, certificateAuthority }, await readFile(file, 'utf8'));
  }

  /** The user in an entry of clouds.yaml, who is also signed in to the console. */
  async personFor(entry: string): Promise<Person> {
    const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
    const yaml = readCloudsYaml(this.#fairway.cloudsYaml);
    const cloud = openCloud(yaml, entry, cloudOptions);
    this.#closers.push(() => cloud.close());
    const { id, token } = await cloud.client().session.token();
    const { server: url, certificateAuthority } = this.#kubernetes;
    const browser = await TestBrowser.at({ address: () => Promise.resolve({ url, certificateAuthority }) });
    this.#closers.push(() => browser.close());
    const { credential } = yaml.get(entry);
    if (credential.kind !== 'password') throw new Error(`${entry} has no password`);
    const { user, password } = credential;
    const domain = user.domain?.name ?? user.domain?.id ?? 'Default';
    const project = token.project?.id ?? '';
    await browser.signIn({ kind: 'password', username: user.name, domain, password, project });
    return { token: id, userId: token.user.id, project, browser };
  }

  /** The same API as `atKubernetes`, for requests that are not attempts. */
  client({ token }: Pick<Person, 'token'>): KubeClient {
    const client = new KubeClient(new HttpsTransport({ ...this.#kubernetes, bearerToken: () => token }));
    this.#closers.push(() => client.close());
    return client;
  }

  /** Calls Fairway's API with a Keystone token. */
  atKubernetes({ token }: Pick<Person, 'token'>, attempt: Attempt): Promise<RecordedResponse> {
    return this.#send(this.#kubernetes, { authorization: `Bearer ${token}` }, attempt);
  }

  atMagnum({ token }: Pick<Person, 'token'>, attempt: Attempt): Promise<RecordedResponse> {
    const version = { 'openstack-api-version': 'container-infra 1.14' };
    return this.#send(this.#magnum, { ...version, ...(token !== '' && { 'x-auth-token': token }) }, attempt);
  }

  /** Calls Fairway's API through a browser session. */
  async atConsole(
    { browser }: Pick<Person, 'browser'>,
    { path, method = 'GET', body, headers }: Attempt,
  ): Promise<RecordedResponse> {
    const response = await browser.send(path, {
      method,
      ...(body !== undefined && { body: body as object }),
      headers: { ...OWN_PAGE, ...headers },
    });
    return { status: response.status, text: await response.text() };
  }

  /** Calls the API server of a tenant's cluster. */
  atCluster(
    { server, certificateAuthority }: Server,
    { token }: Pick<Person, 'token'>,
    attempt: Attempt,
  ): Promise<RecordedResponse> {
    return this.#send({ server, certificateAuthority }, { authorization: `Bearer ${token}` }, attempt);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    await this.#fairway.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #send(
    to: Server,
    credentials: Readonly<Record<string, string>>,
    { method = 'GET', path, body, headers }: Attempt,
  ): Promise<RecordedResponse> {
    const transport = new HttpsTransport(to);
    try {
      const type = method === 'PATCH' && !Array.isArray(body) ? 'application/merge-patch+json' : 'application/json';
      const response = await transport.request({
        method,
        path,
        headers: {
          accept: 'application/json',
          ...credentials,
          ...(body !== undefined && { 'content-type': type }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } finally {
      transport.close();
    }
  }
}
