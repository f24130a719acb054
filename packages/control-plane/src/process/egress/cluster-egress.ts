import { join } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { EGRESS_FOLDER } from '../folder-layout.ts';
import type { ProcessUser } from '../process-user.ts';
import { type Reviews, TokenWebhook, type WebhookTls } from '../token-webhook.ts';
import type { EgressNetwork } from './egress-network.ts';
import { type EgressExceptions, egressPolicy } from './egress-policy.ts';
import { EgressProxy } from './egress-proxy.ts';
import { type PodAccess, PodNetwork } from './pod-network.ts';

export interface EgressOptions {
  readonly network: EgressNetwork;
  readonly exceptions: EgressExceptions;
  /** Current addresses of this machine. */
  readonly ownAddresses: () => readonly string[];
}

/** One cluster's egress proxies while this process manages the cluster. */
export class ClusterEgress {
  readonly #folder: string;
  readonly #options: EgressOptions & { readonly clock: Clock };
  readonly #log: Logger;
  #proxy: EgressProxy | undefined;
  #tokenWebhook: TokenWebhook | undefined;

  constructor(clusterFolder: string, options: EgressOptions & { readonly clock: Clock }, log: Logger) {
    this.#folder = join(clusterFolder, EGRESS_FOLDER);
    this.#options = options;
    this.#log = log;
  }

  /**
   * Opens the proxies to a user. The policy combines the nodes' ranges and the general rules. Rejects if the sockets
   * can't be created.
   */
  async ensure(user: ProcessUser | undefined, nodeNetworks: readonly string[]): Promise<void> {
    const { network, exceptions, ownAddresses } = this.#options;
    const policy = egressPolicy({ nodeNetworks, exceptions, ownAddresses });
    if (this.#proxy !== undefined) {
      this.#proxy.policy = policy;
      return;
    }
    this.#proxy = await EgressProxy.listen({ folder: this.#folder, user, network, log: this.#log }, policy);
  }

  /** Lets the API server connect to pods of its cluster, through their kubelets. */
  setPodAccess(access: PodAccess): void {
    if (this.#proxy !== undefined) this.#proxy.pods = new PodNetwork(access, this.#options.network);
  }

  /** Sets the reviewer for an API server's token and access reviews; undefined rejects all tokens. */
  setReviews(reviews: Reviews | undefined): void {
    this.#tokenWebhook?.setReviews(reviews);
  }

  /** Serves the API server's token and access reviews. Both arguments are undefined if it no longer uses them. */
  serveReviews(tls: WebhookTls | undefined, reviews: Reviews | undefined): void {
    this.setReviews(reviews);
    if (tls === undefined || reviews === undefined) this.#tokenWebhook = undefined;
    else if (this.#tokenWebhook === undefined)
      this.#tokenWebhook = new TokenWebhook(tls, reviews, { clock: this.#options.clock, log: this.#log });
    else this.#tokenWebhook.setTls(tls);
    if (this.#proxy !== undefined) this.#proxy.tokenWebhook = this.#tokenWebhook;
  }

  async stop(): Promise<void> {
    await this.#proxy?.close();
    this.#proxy = undefined;
  }
}
