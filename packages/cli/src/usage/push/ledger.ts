import { createHash } from 'node:crypto';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Clock, formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';

/**
 * How long a run that has stopped renewing its claim may still be sending; longer than {@link RENEW_INTERVAL_MS} plus
 * one call.
 */
export const CLAIM_TTL_MS = 180_000;
const RENEW_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const POLL_MS = 5_000;

export interface LedgerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Identifies the CloudKitty instance; each instance has its own ledger. */
  readonly target: string;
  /** Unique to this run. */
  readonly holder: string;
  /** Called once if the run has to wait for another run's claim to end. */
  readonly onWait: () => void;
}

/**
 * Records what a CloudKitty has accepted: a ConfigMap with the first missing hour and a digest of each recent
 * hour. Only one run at a time holds the ledger. Every write is based on the previous version, so one of two concurrent
 * writes is rejected.
 */
export class PushLedger {
  readonly #options: LedgerOptions;
  readonly #configMaps: ResourceClient<ConfigMap>;
  readonly #name: string;
  #held: ConfigMap | undefined;
  #heldMs = 0;
  #nextMs: number | undefined;
  #digests = new Map<number, string>();

  /**
   * Waits for the claim of another run to end. Throws a CommandError if that run is active or the ledger is corrupt.
   */
  static async claim(options: LedgerOptions): Promise<PushLedger> {
    const ledger = new PushLedger(options);
    await ledger.#claim();
    return ledger;
  }

  private constructor(options: LedgerOptions) {
    this.#options = options;
    this.#configMaps = options.client.resource(ConfigMaps);
    const digest = createHash('sha256').update(options.target).digest('hex').slice(0, 12);
    this.#name = `usage-pushed-to-${digest}`;
  }

  /** The first hour that has not been accepted; undefined if no hour ever was. */
  get nextMs(): number | undefined {
    return this.#nextMs;
  }

  /** Accepted hours with a known digest, oldest first. */
  get hours(): readonly number[] {
    return [...this.#digests.keys()].toSorted((a, b) => a - b);
  }

  digestOf(hourMs: number): string | undefined {
    return this.#digests.get(hourMs);
  }

  /**
   * Must be called before each write, so that no other run sends at the same time. Throws a CommandError if another run
   * has taken over.
   */
  async renew(): Promise<void> {
    if (Math.abs(this.#options.clock.now() - this.#heldMs) >= RENEW_INTERVAL_MS)
      await this.#write(this.#options.holder);
  }

  /** Records an accepted hour and drops hours before `keepFromMs`. */
  async recordAccepted(hourMs: number, digest: string, keepFromMs: number): Promise<void> {
    this.#digests.set(hourMs, digest);
    for (const each of this.#digests.keys()) if (each < keepFromMs) this.#digests.delete(each);
    this.#nextMs = Math.max(this.#nextMs ?? 0, hourMs + HOUR_MS);
    await this.#write(this.#options.holder);
  }

  /** Lets the next run start immediately. */
  async release(): Promise<void> {
    await this.#write(undefined);
  }

  async #claim(): Promise<void> {
    const { clock, signal, holder, onWait } = this.#options;
    let seen: string | undefined;
    // Adds up the time slept, because the clock may be changed in the meantime.
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const found = await this.#read();
      const version = found?.metadata.resourceVersion;
      const other = found?.data?.['holder'];
      if (other !== undefined && seen === undefined) {
        seen = version;
        onWait();
      }
      if (other !== undefined && version !== seen) throw activeRunError();
      if (other === undefined || waitedMs >= CLAIM_TTL_MS) {
        this.#adopt(found);
        return this.#write(holder);
      }
      await clock.sleep(POLL_MS, signal);
    }
  }

  async #read(): Promise<ConfigMap | undefined> {
    const { signal } = this.#options;
    try {
      return await this.#configMaps.get(this.#name, { namespace: SYSTEM_NAMESPACE, signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #adopt(found: ConfigMap | undefined): void {
    this.#held = found;
    const { next } = found?.data ?? {};
    this.#nextMs = next === undefined ? undefined : this.#hourOf(next);
    const lines = (found?.data?.['hours'] ?? '').split('\n').map((line) => line.split(' '));
    this.#digests = new Map(
      lines.flatMap(([hour = '', digest]) => {
        const ms = Date.parse(hour);
        return Number.isNaN(ms) || digest === undefined ? [] : [[ms, digest] as const];
      }),
    );
  }

  /** Refuses anything but the start of an hour: starting elsewhere would permanently lose the hours in between. */
  #hourOf(next: string): number {
    const ms = Date.parse(next);
    if (ms % HOUR_MS === 0) return ms;
    throw new CommandError(
      `ConfigMap ${SYSTEM_NAMESPACE}/${this.#name}: next: "${next}" is not the start of a UTC hour`,
      {
        advice:
          'set it to the first hour that CloudKitty does not have, such as 2026-11-26T12:00:00Z, or an earlier one: nothing is sent twice',
      },
    );
  }

  async #write(holder: string | undefined): Promise<void> {
    const { clock, target } = this.#options;
    const nowMs = clock.now();
    const hours = this.hours.map((ms) => `${formatTime(ms)} ${this.#digests.get(ms)}`);
    const data = {
      target,
      hours: hours.join('\n'),
      // Changes the version each time to show waiting runs that this one is active.
      written: new Date(nowMs).toISOString(),
      ...(this.#nextMs !== undefined && { next: formatTime(this.#nextMs) }),
      ...(holder !== undefined && { holder }),
    };
    // A write that got no response is not repeated; the next run checks whether it succeeded.
    try {
      this.#held =
        this.#held === undefined
          ? await this.#configMaps.create({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: this.#name, namespace: SYSTEM_NAMESPACE },
              data,
            })
          : await this.#configMaps.update({ ...this.#held, data });
    } catch (error) {
      const isMissing = this.#held !== undefined && isApiError(error, 'NotFound');
      throw isMissing || isApiError(error, 'Conflict', 'AlreadyExists') ? activeRunError(error) : error;
    }
    this.#heldMs = nowMs;
  }
}

function activeRunError(cause?: unknown): CommandError {
  return new CommandError('another process is pushing usage to this CloudKitty', {
    advice: 'wait until it exits; this process need not send the same usage',
    cause,
  });
}
