import { ConditionReason } from '@fairway/api/conditions';
import type { Clock } from '@fairway/base/clock';
import { inParallel } from '@fairway/base/in-parallel';
import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Port } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

/** How many ports of a pool are changed at a time; and how many may fail before the others wait for the next try. */
const WIDTH = 8;
/** How often a port is set to the same groups: somebody may be at work on the opposite. */
const AGAIN_MS = 60_000;
const MAX_REMEMBERED = 65_536;

export interface PortChange {
  readonly port: Port;
  readonly securityGroups: readonly string[];
}

/** Sets the security groups of ports, each at most once a minute to the same ones. */
export class PortWriter {
  readonly #clock: Pick<Clock, 'now'>;
  /** By id. */
  readonly #written = new RecentMap<{ readonly groups: string; readonly atMs: number }>(MAX_REMEMBERED);
  readonly #failed = new RecentMap<number>(MAX_REMEMBERED);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns in how many milliseconds those can be written that it is too early for; undefined: there are none. Rejects with the first failure, after the others. */
  async write(cloud: ProjectCloud, changes: readonly PortChange[], signal: AbortSignal): Promise<number | undefined> {
    const waitsMs = changes.map((change) => this.#waitMs(change)).filter((ms) => ms > 0);
    const due = changes.filter((change) => this.#waitMs(change) <= 0);
    // What has failed does not keep the others waiting.
    const order = due.toSorted((a, b) => (this.#failed.get(a.port.id) ?? 0) - (this.#failed.get(b.port.id) ?? 0));
    const failures: unknown[] = [];
    try {
      await inParallel(order, WIDTH, async (change) => {
        if (failures.length >= WIDTH) return;
        signal.throwIfAborted();
        await this.#writeOne(cloud, change, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          this.#failed.set(change.port.id, this.#clock.now());
          failures.push(error);
        });
      });
    } finally {
      if (order.length > 0) cloud.cache.ports.invalidate();
    }
    if (failures.length > 0) throw failures[0];
    return waitsMs.length === 0 ? undefined : Math.min(...waitsMs);
  }

  #waitMs({ port, securityGroups }: PortChange): number {
    const last = this.#written.get(port.id);
    if (last?.groups !== keyOf(securityGroups)) return 0;
    return last.atMs + AGAIN_MS - this.#clock.now();
  }

  /** Only what was read is written: others add groups of theirs by reading and writing the whole list. */
  async #writeOne(cloud: ProjectCloud, { port, securityGroups }: PortChange, signal: AbortSignal): Promise<void> {
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
