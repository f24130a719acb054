import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { ChildMessage, StartMessage } from './fairway-child.ts';

export interface FairwayPlace {
  readonly home: string;
  readonly cloudsYaml: string;
  readonly cloud: string;
  readonly settleMs: number;
  /** The directory of Node's compile cache, for later processes. */
  readonly compileCache: string;
}

const CHILD = fileURLToPath(new URL('fairway-child.ts', import.meta.url));

/** A Fairway in a separate process, to be killed at any moment. The next one loads while this one runs. */
export class MortalFairway {
  readonly #place: FairwayPlace;
  readonly #child: ChildProcess;
  readonly #loaded: Promise<void>;
  #serving: Promise<void> | undefined;
  #client: KubeClient | undefined;

  constructor(place: FairwayPlace) {
    this.#place = place;
    this.#child = fork(CHILD, {
      execArgv: [],
      env: {
        PATH: process.env['PATH'],
        HOME: place.home,
        OS_CLIENT_CONFIG_FILE: place.cloudsYaml,
        NODE_COMPILE_CACHE: place.compileCache,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#loaded = this.#waitForMessage('loaded');
    this.#loaded.catch(() => {});
  }

  /** Starts Fairway; `serving` resolves later, once it serves requests, unless it is killed first. */
  async start(): Promise<void> {
    await this.#loaded;
    const { home, cloud, settleMs } = this.#place;
    this.#serving = this.#waitForMessage('serving');
    this.#serving.catch(() => {});
    this.#child.send({ home, cloud, settleMs } satisfies StartMessage);
  }

  /** A client for the API with the administrator's kubeconfig, once the API is served. */
  async client(): Promise<KubeClient> {
    await this.#serving;
    if (this.#client) return this.#client;
    const { transport } = await loadKubeConnection({ path: `${this.#place.home}/kubeconfig` });
    this.#client = new KubeClient(new HttpsTransport({ ...transport, requestTimeoutMs: 20_000 }));
    return this.#client;
  }

  /** Sends `kill -9`; resolves when the process has exited. */
  async kill(): Promise<void> {
    this.#client?.close();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGKILL');
    await exited;
  }

  #waitForMessage(kind: ChildMessage['kind']): Promise<void> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: ChildMessage) => {
        if (message.kind === 'failed') reject(new Error(`fairway did not start: ${message.message}`));
        if (message.kind === kind) resolve();
      };
      this.#child.on('message', onMessage);
      this.#child.once('exit', (code, signal) => reject(new Error(`fairway exited: ${code ?? signal}`)));
    });
  }
}
