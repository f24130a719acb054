import { createHash, createPublicKey } from 'node:crypto';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { generateKeyPair, type KeyPair, privateKeyFromPem, privateKeyToPem } from '@fairway/kube/pki/key-pair';
import { CertificateDeniedError, requestCertificate } from './certificate-request.ts';
import type { NodeBootstrap } from './node-bootstrap.ts';
import type { Credential, NodeDisks, NodeState } from './node-state.ts';

export interface NodeIdentityOptions {
  readonly serverId: string;
  readonly nodeName: string;
  readonly bootstrap: NodeBootstrap;
  readonly disks: NodeDisks;
  readonly createTransport: (options: HttpsTransportOptions) => Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const USER_AGENT = 'kubelet/hollow';
/** Certificates are renewed after 70% to 90% of their lifetime, as in kubelet. */
const ROTATION_SHARE = 0.7;
const ROTATION_JITTER = 0.2;
const RETRY_MS = 60_000;

/** Requests and renews a node's certificates, and stores them on its disk. */
export class NodeIdentity {
  readonly #options: NodeIdentityOptions;
  #state: NodeState;
  readonly #timers = new Set<Timer>();

  private constructor(options: NodeIdentityOptions, state: NodeState) {
    this.#options = options;
    this.#state = state;
  }

  /** Loads the certificates stored before a restart of the same server. */
  static async load(options: NodeIdentityOptions): Promise<NodeIdentity> {
    const { server, certificateAuthority = '', token } = options.bootstrap;
    const bootstrapDigest = createHash('sha256')
      .update(JSON.stringify([server, certificateAuthority, token, options.nodeName]))
      .digest('hex');
    const kept = await options.disks.read(options.serverId);
    return new NodeIdentity(options, kept?.bootstrapDigest === bootstrapDigest ? kept : { bootstrapDigest });
  }

  get serving(): Credential | undefined {
    return this.#state.serving;
  }

  /** A connection that authenticates as the node. Its certificate may change over time. */
  connect(): Transport {
    return this.#options.createTransport({
      ...this.#endpoint(),
      clientCertificate: (): ClientCertificate => {
        if (this.#state.client === undefined) throw new Error('the node has no certificate yet');
        return this.#state.client;
      },
    });
  }

  /** Ensures a valid client certificate; requests one with the bootstrap token if there is none. */
  async ensureClient(signal: AbortSignal): Promise<void> {
    if (isValid(this.#state.client, this.#options.clock.now())) return;
    const { createTransport, bootstrap, log } = this.#options;
    const transport = createTransport({ ...this.#endpoint(), bearerToken: () => bootstrap.token });
    try {
      const client = new KubeClient(transport, { userAgent: USER_AGENT, clock: this.#options.clock });
      await this.#renewClient(client, signal);
      log.info({}, 'node has its certificate');
    } finally {
      transport.close();
    }
  }

  /** Renews certificates when they are due, until the signal aborts. */
  keepFresh(client: KubeClient, signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#cancelTimers(), { once: true });
    if (this.#options.bootstrap.kubelet.rotateCertificates) {
      this.#scheduleRenewal('client', signal, () => this.#renewClient(client, signal));
    }
  }

  /** Requests a serving certificate for these addresses unless one exists, then keeps it renewed. */
  async ensureServing(
    client: KubeClient,
    names: { readonly ipAddresses: readonly string[]; readonly dnsNames: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    const renew = async () => {
      const keys = await generateKeyPair();
      const desired = { ...names, nodeName: this.#options.nodeName, keys } as const;
      const certificate = await this.#request(
        client,
        { ...desired, signerName: 'kubernetes.io/kubelet-serving' },
        signal,
      );
      await this.#save({ serving: { certificate, privateKey: await privateKeyToPem(keys.privateKey) } });
    };
    const { serving } = this.#state;
    if (!isValid(serving, this.#options.clock.now()) || !covers(serving, names.ipAddresses)) await renew();
    this.#scheduleRenewal('serving', signal, renew);
  }

  async #renewClient(client: KubeClient, signal: AbortSignal): Promise<void> {
    const { nodeName } = this.#options;
    const keys = await this.#pendingKeys();
    try {
      const desired = { nodeName, keys, signerName: 'kubernetes.io/kube-apiserver-client-kubelet' } as const;
      const certificate = await this.#request(client, desired, signal);
      await this.#save({ client: { certificate, privateKey: await privateKeyToPem(keys.privateKey) } }, 'pendingKey');
    } catch (error) {
      // The request's name is derived from its key, so a denial requires a new key.
      if (error instanceof CertificateDeniedError) await this.#save({}, 'pendingKey');
      throw error;
    }
  }

  #request(
    client: KubeClient,
    desired: Parameters<typeof requestCertificate>[1],
    signal: AbortSignal,
  ): Promise<string> {
    const { clock, random } = this.#options;
    return requestCertificate(client, desired, { clock, random, signal });
  }

  /** The key of a request that was pending before a restart, or a new one. */
  async #pendingKeys(): Promise<KeyPair> {
    const { pendingKey } = this.#state;
    if (pendingKey !== undefined)
      return { privateKey: privateKeyFromPem(pendingKey), publicKey: await publicKeyOf(pendingKey) };
    const keys = await generateKeyPair();
    await this.#save({ pendingKey: await privateKeyToPem(keys.privateKey) });
    return keys;
  }

  async #save(change: Partial<NodeState>, drop?: 'pendingKey'): Promise<void> {
    const next = { ...this.#state, ...change };
    if (drop !== undefined) delete next[drop];
    this.#state = next;
    await this.#options.disks.write(this.#options.serverId, next);
  }

  #scheduleRenewal(purpose: 'client' | 'serving', signal: AbortSignal, renew: () => Promise<void>): void {
    const credential = this.#state[purpose];
    if (credential === undefined || signal.aborted) return;
    const { clock, random, log } = this.#options;
    const { notBeforeMs, notAfterMs } = certificateInfo(credential.certificate);
    const share = ROTATION_SHARE + ROTATION_JITTER * random();
    const dueMs = notBeforeMs + (notAfterMs - notBeforeMs) * share;
    const run = async () => {
      try {
        await renew();
        log.info({ which: purpose }, 'node has renewed its certificate');
        this.#scheduleRenewal(purpose, signal, renew);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, which: purpose }, 'node cannot renew its certificate');
        this.#after(RETRY_MS, run);
      }
    };
    this.#after(Math.max(0, dueMs - clock.now()), run);
  }

  #after(delayMs: number, run: () => Promise<void>): void {
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      void run();
    });
    this.#timers.add(timer);
  }

  #cancelTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #endpoint(): HttpsTransportOptions {
    const { server, serverName, certificateAuthority } = this.#options.bootstrap;
    return {
      server,
      clock: this.#options.clock,
      ...(serverName !== undefined && { serverName }),
      ...(certificateAuthority !== undefined && { certificateAuthority }),
    };
  }
}

function isValid(credential: Credential | undefined, nowMs: number): boolean {
  return credential !== undefined && certificateInfo(credential.certificate).notAfterMs > nowMs;
}

function covers(credential: Credential | undefined, ipAddresses: readonly string[]): boolean {
  if (credential === undefined) return false;
  const certified = new Set(certificateInfo(credential.certificate).ipAddresses);
  return ipAddresses.every((address) => certified.has(address));
}

async function publicKeyOf(privateKeyPem: string): Promise<KeyPair['publicKey']> {
  const spki = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
  return crypto.subtle.importKey('spki', spki, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']);
}
