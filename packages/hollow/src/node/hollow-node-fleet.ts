import { createHash } from 'node:crypto';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import type { Transport } from '@fairway/kube/client/transport';
import { HollowNode, type NodePhase } from './hollow-node.ts';
import { isNodeUserData } from './node-bootstrap.ts';
import type { NodeDisks } from './node-state.ts';
import type { ServerInfo } from './server-info.ts';

/** A server, as listed. */
export interface ListedServer {
  readonly id: string;
  readonly name: string;
  /** Nova's status: `ACTIVE`, `BUILD`, `SHUTOFF`… */
  readonly status: string;
  readonly imageId: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Changes when the server may have been rebuilt. */
export function revisionOf({ imageId, metadata }: ListedServer): string {
  return JSON.stringify([imageId, Object.entries(metadata).toSorted(([a], [b]) => a.localeCompare(b))]);
}

/** The cloud API that a fleet uses. */
export interface FleetCloud {
  /** All servers in all projects. */
  list(signal: AbortSignal): AsyncIterable<ListedServer>;
  /** The server's flavor, and its user data if its guest can read them; undefined if the server no longer exists. */
  describe(
    serverId: string,
    signal: AbortSignal,
  ): Promise<{ readonly server: ServerInfo; readonly userData: string | undefined } | undefined>;
}

export interface HollowNodeFleetOptions {
  readonly cloud: FleetCloud;
  readonly disks: NodeDisks;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Interval between lists while servers are being built; 2 s by default. */
  readonly busyPeriodMs?: number;
  /** Interval between lists otherwise; a minute by default. */
  readonly idlePeriodMs?: number;
  readonly createTransport?: (options: HttpsTransportOptions) => Transport;
  /** Whether the guest of a running server has panicked, if known: the cloud's API does not report it. */
  readonly hasPanicked?: (serverId: string) => boolean;
  readonly console?: (serverId: string, line: string) => void;
}

interface Member {
  readonly revision: string;
  /** Digest of its user data, which itself is about 13 KB. */
  readonly userDataDigest: string;
  /** Undefined for a server that is not a node. */
  readonly node: HollowNode | undefined;
}

const POKE_DELAY_MS = 10;
const TRANSIENT_STATUSES = new Set(['BUILD', 'REBUILD', 'REBOOT', 'HARD_REBOOT', 'MIGRATING', 'RESIZE']);
/** Statuses in which the machine is running. */
const RUNNING_STATUSES = new Set(['ACTIVE', 'MIGRATING', 'PASSWORD', 'RESIZE', 'VERIFY_RESIZE', 'REVERT_RESIZE']);

/**
 * The hollow nodes of a cloud, one for each running server whose user data makes it a node. Servers are found through
 * the cloud's API. An idle fleet rarely lists servers; a caller aware of a change (a simulated cloud) calls `poke`.
 */
export class HollowNodeFleet {
  readonly #options: HollowNodeFleetOptions;
  readonly #members = new Map<string, Member>();
  #timer: Timer | undefined;
  #stopping: AbortController | undefined;
  #round: Promise<void> = Promise.resolve();
  #isListing = false;
  #isPoked = false;
  /** Why the last list failed. */
  #problem: string | undefined;

  constructor(options: HollowNodeFleetOptions) {
    this.#options = options;
  }

  /** Nodes by server id. */
  get phases(): ReadonlyMap<string, NodePhase> {
    const nodes = [...this.#members].flatMap(([id, { node }]) =>
      node === undefined ? [] : [[id, node.phase] as const],
    );
    return new Map(nodes);
  }

  /** A server's node, for tests that stop or kill it. */
  node(serverId: string): HollowNode | undefined {
    return this.#members.get(serverId)?.node;
  }

  /** Whether the fleet has processed a running server, even if the server is not a node. */
  hasServer(serverId: string): boolean {
    return this.#members.has(serverId);
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = new AbortController();
    this.#poll();
  }

  /** Schedules a list soon, after a server has changed. */
  poke(): void {
    if (this.#stopping === undefined) return;
    this.#isPoked = true;
    if (!this.#isListing) this.#pollAfter(POKE_DELAY_MS);
  }

  /** Stops all nodes without reporting to their control planes: the servers continue to exist. */
  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#timer?.cancel();
    await this.#round;
    await Promise.all([...this.#members.values()].flatMap(({ node }) => (node === undefined ? [] : [node.stop()])));
    this.#members.clear();
    this.#stopping = undefined;
  }

  #poll(): void {
    const signal = this.#stopping?.signal;
    if (signal === undefined || signal.aborted || this.#isListing) return;
    this.#isListing = true;
    this.#isPoked = false;
    this.#round = this.#runRound(signal);
  }

  async #runRound(signal: AbortSignal): Promise<void> {
    const { log, busyPeriodMs = 2000, idlePeriodMs = 60_000, random } = this.#options;
    let isBusy = false;
    try {
      isBusy = await this.#compare(signal);
      this.#problem = undefined;
    } catch (error) {
      if (!signal.aborted) this.#logFailure(log, error);
    }
    this.#isListing = false;
    if (signal.aborted) return;
    const periodMs = isBusy ? busyPeriodMs : idlePeriodMs;
    this.#pollAfter(this.#isPoked ? POKE_DELAY_MS : periodMs * (0.9 + 0.2 * random()));
  }

  /** Logs a failure with its stack the first time, then on one line until the message changes. */
  #logFailure(log: Logger, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#problem) log.warn({ reason: message }, 'still cannot list servers of the cloud');
    else log.warn({ err: error }, 'cannot list servers of the cloud');
    this.#problem = message;
  }

  #pollAfter(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, () => this.#poll());
  }

  /** One pass over all servers; resolves with whether more changes are expected soon. */
  async #compare(signal: AbortSignal): Promise<boolean> {
    const seen = new Set<string>();
    const tasks: Promise<void>[] = [];
    let isBusy = false;
    for await (const server of this.#options.cloud.list(signal)) {
      seen.add(server.id);
      isBusy ||= TRANSIENT_STATUSES.has(server.status);
      tasks.push(this.#follow(server, signal));
    }
    for (const [id, { node }] of this.#members) {
      if (seen.has(id)) continue;
      this.#members.delete(id);
      if (node !== undefined) tasks.push(node.stop().then(() => this.#options.disks.erase(id)));
    }
    const results = await Promise.allSettled(tasks);
    for (const result of results) {
      if (result.status === 'rejected' && !signal.aborted) throw result.reason;
    }
    return isBusy;
  }

  async #follow(server: ListedServer, signal: AbortSignal): Promise<void> {
    const member = this.#members.get(server.id);
    if (!RUNNING_STATUSES.has(server.status)) {
      if (member?.node !== undefined && member.node.phase !== 'off') await member.node.shutdown();
      return;
    }
    if (this.#options.hasPanicked?.(server.id)) {
      await member?.node?.stop();
      return;
    }
    if (member === undefined || member.revision !== revisionOf(server)) await this.#install(server, member, signal);
    else if (member.node?.phase === 'off') member.node.start();
  }

  /** Installs the node of a server unless the user data is unchanged, in which case the server was not rebuilt. */
  async #install(server: ListedServer, before: Member | undefined, signal: AbortSignal): Promise<void> {
    const { cloud, disks, clock, random, log, createTransport, console } = this.#options;
    const revision = revisionOf(server);
    const found = await cloud.describe(server.id, signal);
    if (found === undefined || signal.aborted) return;
    const { userData } = found;
    const userDataDigest = createHash('sha256')
      .update(userData ?? '')
      .digest('base64');
    if (before !== undefined && before.userDataDigest === userDataDigest) {
      this.#members.set(server.id, { ...before, revision });
      if (before.node?.phase === 'off') before.node.start();
      return;
    }
    await before?.node?.stop();
    if (!userData || !isNodeUserData(userData)) {
      this.#members.set(server.id, { revision, userDataDigest, node: undefined });
      return;
    }
    const node = new HollowNode({
      server: found.server,
      userData,
      disks,
      clock,
      random,
      log,
      ...(createTransport && { createTransport }),
      ...(console && { console: (line: string) => console(server.id, line) }),
    });
    this.#members.set(server.id, { revision, userDataDigest, node });
    node.start();
  }
}
