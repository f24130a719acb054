import { isIPv4 } from 'node:net';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Endpoint } from '../../runtime.ts';
import type { Nft } from './nft.ts';
import { liftScript, nftListArguments, parseNftList, restrictScript, tableScript } from './nft-script.ts';

export interface AccessGuardOptions {
  /** ID of the home: letters and digits. Fairway processes with different homes do not touch each other's rules. */
  readonly homeId: string;
  /** Undefined if this machine has no nft. */
  readonly nft: Nft | undefined;
  /** Ranges that may reach every API server, such as other hosts of the operator. */
  readonly alwaysAllowed: readonly string[];
  /** Called with a cluster's UID when rewriting its rules starts to fail, and when it works again. */
  readonly onChange: (clusterUid: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Allowed clients of one API server. */
export interface DesiredAccess {
  readonly clusterUid: string;
  readonly endpoint: Endpoint;
  /** IPv4 ranges, including those of the nodes; undefined allows all clients. */
  readonly sources: readonly string[] | undefined;
  /** Whether this process may still act on the control plane. */
  readonly mayAct: () => boolean;
}

/**
 * `open`: all clients are admitted, as desired. `enforced`: only the desired addresses are admitted. `unavailable`:
 * this machine can't enforce the restriction. `failed`: this machine can enforce it, but the last attempt failed, and
 * the previous rules are in effect.
 */
export type AccessState =
  | { readonly kind: 'open' | 'enforced' }
  | { readonly kind: 'unavailable' | 'failed'; readonly problem: string };

/** How often rules are rewritten: a firewall reload (`flush ruleset`) removes them. */
const REAPPLY_INTERVAL_MS = 30_000;
/** A machine that cannot enforce restrictions is checked again after this time. */
const PROBE_TTL_MS = 60_000;

/**
 * Restricts which addresses may reach API servers, with rules in the kernel. The rules outlive this process, and a
 * cluster's rules change atomically. The kernel is the only state.
 */
export class AccessGuard {
  readonly #options: AccessGuardOptions;
  readonly #table: string;
  readonly #restricted = new Map<string, DesiredAccess & { state: AccessState; script: string }>();
  /** Endpoints with rules in the kernel, by cluster, as first listed. */
  #listed: Map<string, Endpoint> | undefined;
  #probed: { readonly atMs: number; readonly problem: string | undefined } | undefined;
  #pending: Promise<unknown> = Promise.resolve();
  #timer: Timer | undefined;

  constructor(options: AccessGuardOptions) {
    if (!/^[A-Za-z0-9]{1,64}$/.test(options.homeId)) throw new Error(`"${options.homeId}" is not the id of a home`);
    this.#options = options;
    this.#table = `fairway_${options.homeId}`;
  }

  /** Why API servers at an address cannot be restricted; undefined if they can be. */
  async problemAt(address: string): Promise<string | undefined> {
    if (isLoopback(address)) return undefined;
    if (!isIPv4(address)) return `the API servers have the IPv6 address ${address}: remove it`;
    const { clock } = this.#options;
    const isFresh = this.#probed !== undefined && clock.now() - this.#probed.atMs < PROBE_TTL_MS;
    if (this.#probed === undefined || (this.#probed.problem !== undefined && !isFresh)) {
      this.#probed = { atMs: clock.now(), problem: await this.#probe() };
    }
    return this.#probed.problem;
  }

  /**
   * The restriction takes effect before this resolves, for new and established connections. Does nothing if it is
   * already in effect. Never rejects.
   */
  async ensure(desired: DesiredAccess): Promise<AccessState> {
    const { clusterUid, endpoint, sources } = desired;
    // Only this machine can reach a loopback address, and this machine is always allowed.
    if (isLoopback(endpoint.host)) return { kind: sources === undefined ? 'open' : 'enforced' };
    if (sources === undefined) return this.#serialize(() => this.#lift(desired));
    const unavailable = await this.problemAt(endpoint.host);
    if (unavailable !== undefined) return { kind: 'unavailable', problem: unavailable };
    const script = this.#scriptOf({ ...desired, sources });
    const known = this.#restricted.get(clusterUid);
    if (known?.script === script && known.state.kind === 'enforced') {
      this.#restricted.set(clusterUid, { ...known, ...desired });
      return known.state;
    }
    return this.#serialize(async () => {
      if (!desired.mayAct()) return { kind: 'failed', problem: 'another process manages this control plane' };
      const state = await this.#apply([script]);
      if (state.kind === 'enforced') this.#listed?.set(clusterUid, endpoint);
      this.#restricted.set(clusterUid, { ...desired, script, state });
      this.#scheduleReapply();
      return state;
    });
  }

  /** Stops rewriting a cluster's rules, which stay in the kernel. */
  forget(clusterUid: string): void {
    this.#restricted.delete(clusterUid);
  }

  /** Removes the rules of a completely removed cluster. Rejects if they can't be removed. */
  async remove(clusterUid: string): Promise<void> {
    this.#restricted.delete(clusterUid);
    await this.#serialize(() => this.#removeAll((uid) => uid === clusterUid));
  }

  /** Removes rules of clusters that no longer exist, left behind by a killed process. */
  async removeUnknown(isKnown: (clusterUid: string) => boolean): Promise<void> {
    await this.#serialize(() => this.#removeAll((uid) => !isKnown(uid)));
  }

  /** Removes all rules of this home: no API server is listening any more. */
  async removeTable(): Promise<void> {
    await this.#serialize(async () => {
      const exists = await this.#run(['list', 'table', 'inet', this.#table]).then(
        () => true,
        () => false,
      );
      if (exists) await this.#run(['delete', 'table', 'inet', this.#table]);
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#restricted.clear();
  }

  async #lift({ clusterUid, endpoint, mayAct }: DesiredAccess): Promise<AccessState> {
    this.#restricted.delete(clusterUid);
    this.#listed ??= await this.#list();
    const listed = this.#listed;
    if (!listed.has(clusterUid) || !mayAct()) return { kind: 'open' };
    const state = await this.#apply([...tableScript(this.#table), ...liftScript(this.#table, clusterUid, endpoint)]);
    if (state.kind !== 'enforced') return state;
    listed.delete(clusterUid);
    return { kind: 'open' };
  }

  async #removeAll(shouldRemove: (clusterUid: string) => boolean): Promise<void> {
    const removals = [...(await this.#list())].filter(([uid]) => shouldRemove(uid));
    if (removals.length === 0) return;
    const liftStatements = removals.flatMap(([uid, endpoint]) => liftScript(this.#table, uid, endpoint));
    const state = await this.#apply([...tableScript(this.#table), ...liftStatements]);
    if ('problem' in state) throw new Error(state.problem);
    for (const [uid] of removals) this.#listed?.delete(uid);
  }

  #scheduleReapply(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(REAPPLY_INTERVAL_MS, () => {
      if (this.#restricted.size > 0) void this.#serialize(() => this.#reapply()).then(() => this.#scheduleReapply());
    });
  }

  async #reapply(): Promise<void> {
    const ownedRestrictions = [...this.#restricted].filter(([, { mayAct }]) => mayAct());
    if (ownedRestrictions.length === 0) return;
    const state = await this.#apply(ownedRestrictions.map(([, { script }]) => script));
    for (const [uid, restricted] of ownedRestrictions) {
      if (this.#restricted.get(uid) !== restricted) continue;
      this.#restricted.set(uid, { ...restricted, state });
      if (state.kind !== restricted.state.kind) this.#options.onChange(uid);
    }
  }

  #scriptOf({ clusterUid, endpoint, sources }: DesiredAccess & { readonly sources: readonly string[] }): string {
    const ipv4Sources = this.#options.alwaysAllowed.filter((range) => isIPv4(range.split('/')[0] ?? ''));
    const all = [...new Set([...sources, ...ipv4Sources])].sort();
    const statements = restrictScript(this.#table, { clusterUid, endpoint, sources: all });
    return [...tableScript(this.#table), ...statements].join('\n');
  }

  /** Applies all statements in one transaction. */
  async #apply(statements: readonly string[]): Promise<AccessState> {
    try {
      await this.#run(['-f', '-'], `${statements.join('\n')}\n`);
      return { kind: 'enforced' };
    } catch (error) {
      this.#options.log.error({ err: error }, 'could not restrict access to API servers');
      return { kind: 'failed', problem: messageOf(error) };
    }
  }

  /** Endpoints with rules in the kernel, by cluster; none if this process can't see any. */
  async #list(): Promise<Map<string, Endpoint>> {
    try {
      return new Map(parseNftList(await this.#run(nftListArguments(this.#table))));
    } catch {
      return new Map();
    }
  }

  /** Checks whether nft and the kernel accept such rules from this process. Changes nothing. */
  async #probe(): Promise<string | undefined> {
    const endpoint = { host: '192.0.2.1', port: 1 };
    const statements = [
      ...tableScript(this.#table),
      ...restrictScript(this.#table, { clusterUid: 'probe', endpoint, sources: ['192.0.2.0/24'] }),
    ];
    try {
      await this.#run(['--check', '-f', '-'], `${statements.join('\n')}\n`);
      return undefined;
    } catch (error) {
      return `this machine cannot enforce it (${messageOf(error)}): the operator must install nftables, and run Fairway as root or with CAP_NET_ADMIN`;
    }
  }

  #run(args: readonly string[], input?: string): Promise<string> {
    const { nft } = this.#options;
    return nft === undefined ? Promise.reject(new Error('nft is not on PATH')) : nft(args, input);
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#pending.then(work);
    this.#pending = turn.catch(() => {});
    return turn;
  }
}

export function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
