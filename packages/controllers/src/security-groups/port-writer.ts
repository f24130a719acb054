import { ConditionReason } from '@fairway/api/conditions';
import type { Clock } from '@fairway/base/clock';
import { inParallel } from '@fairway/base/in-parallel';
import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Port } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

/**
 * How many ports of a pool are changed concurrently, and how many may fail before the others wait for the next attempt.
 */
const CONCURRENCY = 8;
/** Minimum interval between setting a port to the same groups again: someone may keep setting others. */
const RETRY_MS = 60_000;
const MAX_REMEMBERED_WRITES = 65_536;

export interface PortChange {
  readonly port: Port;
  readonly securityGroups: readonly string[];
}

/** Sets the security groups of ports, each to the same groups at most once a minute. */
export class PortWriter {
  readonly #clock: Pick<Clock, 'now'>;
  /** By port ID. */
  readonly #written = new RecentMap<{ readonly groups: string; readonly atMs: number }>(MAX_REMEMBERED_WRITES);
  readonly #failed = new RecentMap<number>(MAX_REMEMBERED_WRITES);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Returns the delay in milliseconds until the ports that must not be written yet can be; undefined if there are
   * none. Rejects with the first failure, once the writes to the other ports have finished.
   */
  async write(cloud: ProjectCloud, changes: readonly PortChange[], signal: AbortSignal): Promise<number | undefined> {
    const delaysMs = changes.map((change) => this.#retryDelayMs(change)).filter((ms) => ms > 0);
    const due = changes.filter((change) => this.#retryDelayMs(change) <= 0);
    // Failed ports do not delay the others.
    const order = due.toSorted((a, b) => (this.#failed.get(a.port.id) ?? 0) - (this.#failed.get(b.port.id) ?? 0));
    const failures: unknown[] = [];
    try {
      await inParallel(order, CONCURRENCY, async (change) => {
        if (failures.length >= CONCURRENCY) return;
        signal.throwIfAborted();
        await this.#writePort(cloud, change, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          this.#failed.set(change.port.id, this.#clock.now());
          failures.push(error);
        });
      });
    } finally {
      if (order.length > 0) cloud.cache.ports.invalidate();
    }
    if (failures.length > 0) throw failures[0];
    return delaysMs.length === 0 ? undefined : Math.min(...delaysMs);
  }

  #retryDelayMs({ port, securityGroups }: PortChange): number {
    const last = this.#written.get(port.id);
    if (last?.groups !== keyOf(securityGroups)) return 0;
    return last.atMs + RETRY_MS - this.#clock.now();
  }

  /** Overwrites only the observed groups, because others also change them by reading and writing the whole list. */
  async #writePort(cloud: ProjectCloud, { port, securityGroups }: PortChange, signal: AbortSignal): Promise<void> {
    if (port.port_security_enabled === false) throw new ProblemError(openPort(port));
    const { revision_number: ifRevision } = port;
    const options = { signal, ...(ifRevision !== undefined && { ifRevision }) };
    const changes = { security_groups: [...securityGroups] };
    await ignoreNotFound(cloud.client.network.ports.update(port.id, changes, options));
    this.#written.set(port.id, { groups: keyOf(securityGroups), atMs: this.#clock.now() });
    this.#failed.delete(port.id);
  }
}

function keyOf(groups: readonly string[]): string {
  return groups.toSorted().join(' ');
}

function openPort({ id, device_id }: Port) {
  const message = `port ${id} of server ${device_id} has port security disabled, so it cannot have security groups: openstack port set --enable-port-security ${id}`;
  return { reason: ConditionReason.SettingsNotEnforced, message };
}
