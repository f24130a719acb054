import type { Timer } from '@fairway/base/clock';
import { ApiError } from '../http/api.ts';
import { type LifecycleStep, pickDurationMs } from '../http/latency.ts';
import type { World } from '../world.ts';
import { flavorOf } from './find-flavor.ts';
import type { PendingStep, Server, ServerFault } from './records.ts';
import { chooseHost } from './scheduler.ts';
import { allocatePorts, plugPorts, releasePorts } from './server-networks.ts';
import type { ServerVolumes } from './server-volumes.ts';

export type DownReason = 'deleted' | 'stopped' | 'rebooting' | 'rebuilding' | 'panicked';
export type ActiveListener = (server: Server) => void;
export type DownListener = (server: Server, reason: DownReason) => void;

const NO_VALID_HOST = 'No valid host was found. There are not enough hosts available.';

/** How long `changes-since` still lists deleted servers. */
const DELETED_RETENTION_MS = 60 * 60 * 1000;

/** Delay before the next attempt if a step could not be saved. */
const RETRY_MS = 1000;

const LATENCY_STEPS: Readonly<Record<PendingStep['step'], LifecycleStep>> = {
  schedule: 'schedule',
  network: 'network',
  spawn: 'spawn',
  delete: 'delete',
  'soft-delete': 'stop',
  stop: 'stop',
  start: 'start',
  reboot: 'reboot',
  rebuild: 'rebuild',
  resize: 'resize',
  revert: 'resize',
};

/** Simulates conductor, scheduler and hypervisors, step by step on the cloud's clock. */
export class ServerLifecycle {
  readonly #world: World;
  readonly #volumes: ServerVolumes;
  readonly #timers = new Map<string, Timer>();
  readonly #activeListeners = new Set<ActiveListener>();
  readonly #downListeners = new Set<DownListener>();
  #isClosed = false;

  constructor(world: World, volumes: ServerVolumes) {
    this.#world = world;
    this.#volumes = volumes;
  }

  /** Resumes the steps that are pending in the saved state. */
  resume(): void {
    this.#cancelAll();
    for (const server of this.#world.tables.servers.values()) if (server.pending !== null) this.#arm(server);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelAll();
  }

  onActive(listener: ActiveListener): () => void {
    this.#activeListeners.add(listener);
    for (const server of this.#world.tables.servers.values()) if (isRunning(server)) listener(server);
    return () => this.#activeListeners.delete(listener);
  }

  onDown(listener: DownListener): () => void {
    this.#downListeners.add(listener);
    return () => this.#downListeners.delete(listener);
  }

  /**
   * Stores the server with `step` pending, by default after the cloud's usual latency. A step that is already pending
   * is cancelled.
   */
  begin(server: Server, step: PendingStep['step'], delayMs?: number): Server {
    const { clock, random, config, database, tables } = this.#world;
    const dueMs = clock.now() + (delayMs ?? pickDurationMs(config.latency.lifecycle[LATENCY_STEPS[step]], random));
    const row = tables.servers.put({ ...server, updatedMs: clock.now(), pending: { step, dueMs } });
    database.afterCommit(() => this.#arm(row));
    return row;
  }

  /** Stops the guest immediately, without output until it boots again; Nova's state of the server does not change. */
  panic(server: Server): void {
    this.#world.tables.servers.put({ ...server, hasPanicked: true });
    this.notifyDown(server, 'panicked');
  }

  /** Whether the guest has panicked since it booted. */
  hasPanicked(serverId: string): boolean {
    return this.#world.tables.servers.get(serverId)?.hasPanicked === true;
  }

  /** Stores the server without a pending step. */
  settle(server: Server): Server {
    const { clock, tables } = this.#world;
    return tables.servers.put({ ...server, updatedMs: clock.now(), taskState: null, pending: null });
  }

  notifyDown(server: Server, reason: DownReason): void {
    this.#notify(this.#downListeners, (listener) => listener(server, reason));
  }

  #cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #arm({ id, pending }: Server): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (pending !== null && !this.#isClosed) this.#wait(id, pending, pending.dueMs);
  }

  #wait(id: string, pending: PendingStep, dueMs: number): void {
    const { clock, database, log } = this.#world;
    const timer = clock.after(Math.max(dueMs - clock.now(), 0), () => {
      this.#timers.delete(id);
      try {
        database.transact(() => this.#run(id, pending));
      } catch (error) {
        log.error({ err: error, server: id, step: pending.step }, 'a step in the life of a simulated server failed');
        this.#wait(id, pending, clock.now() + RETRY_MS);
      }
    });
    this.#timers.set(id, timer);
  }

  #run(id: string, pending: PendingStep): void {
    const server = this.#world.tables.servers.get(id);
    if (server?.pending?.step !== pending.step || server.pending.dueMs !== pending.dueMs) return;
    switch (pending.step) {
      case 'schedule':
        this.#schedule(server);
        return;
      case 'network':
        this.#allocate(server);
        return;
      case 'spawn':
        this.#finishSpawn(server);
        return;
      case 'delete':
        this.#finishDelete(server);
        return;
      case 'soft-delete':
        this.#finishSoftDelete(server);
        return;
      case 'stop':
        this.settle({ ...server, vmState: 'stopped' });
        return;
      case 'rebuild':
        this.#finishRebuild(server);
        return;
      case 'start':
      case 'reboot':
        this.#finishBoot({ ...server, vmState: 'active', fault: null });
        return;
      case 'resize':
        this.#finishBoot({ ...server, vmState: 'resized' });
        return;
      case 'revert':
        this.#finishBoot({
          ...server,
          vmState: 'active',
          flavorId: server.oldFlavorId ?? server.flavorId,
          oldFlavorId: null,
        });
        return;
    }
  }

  #schedule(server: Server): void {
    const host = chooseHost(this.#world, server, flavorOf(this.#world, server.flavorId));
    if (host === undefined) {
      this.#fail(server, 500, NO_VALID_HOST, 'nova.exception.NoValidHost');
      return;
    }
    this.begin({ ...server, host: host.name, taskState: 'networking' }, 'network');
  }

  #allocate(server: Server): void {
    try {
      this.#world.tables.servers.put(server);
      allocatePorts(this.#world, server);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const full = /No more IP addresses available on network ([^.]+)/.exec(reason)?.[1];
      const cause = full === undefined ? '' : ` with error No fixed IP addresses available for network: ${full}`;
      const text = `Build of instance ${server.id} aborted: Failed to allocate the network(s)${cause}, not rescheduling.`;
      this.#fail(server, 500, text, reason);
      return;
    }
    const withVolumes = this.#makeVolumes(server);
    if (withVolumes !== undefined) this.begin({ ...withVolumes, taskState: 'spawning' }, 'spawn');
  }

  /** Undefined if a volume could not be created, which fails the server. */
  #makeVolumes(server: Server): Server | undefined {
    try {
      return this.#volumes.make(server);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#fail(server, 500, `Build of instance ${server.id} aborted: ${error.message}`, error.message);
      return undefined;
    }
  }

  #finishSpawn(server: Server): void {
    const fault = this.#injectedFault(server);
    if (fault !== undefined) {
      releasePorts(this.#world, server);
      this.#volumes.release(server);
      this.#recordFault(server, fault);
      return;
    }
    plugPorts(this.#world, server);
    this.#volumes.plug(server);
    this.#finishBoot({ ...server, vmState: 'active', launchedMs: this.#world.clock.now() });
  }

  /** A stopped server stays stopped; a server in ERROR becomes active. */
  #finishRebuild(server: Server): void {
    const fault = this.#injectedFault(server);
    if (fault !== undefined) this.#recordFault(server, fault);
    else if (server.vmState === 'stopped') this.settle({ ...server, launchedMs: this.#world.clock.now() });
    else this.#finishBoot({ ...server, vmState: 'active', fault: null, launchedMs: this.#world.clock.now() });
  }

  #injectedFault({ projectId }: Server): ServerFault | undefined {
    const { clock, faults, tables } = this.#world;
    const fault = faults.matchServer(projectId, tables.projects.get(projectId)?.name ?? '');
    if (fault === undefined) return undefined;
    const { code, message, reportedAfterMs } = fault;
    return { code, message, details: 'Injected by the simulator.', createdMs: clock.now() + reportedAfterMs };
  }

  #finishBoot(server: Server): void {
    const row = this.settle({ ...server, hasPanicked: false });
    this.#notify(this.#activeListeners, (listener) => listener(row));
  }

  #notify<L>(listeners: ReadonlySet<L>, call: (listener: L) => void): void {
    this.#world.database.afterCommit(() => {
      for (const listener of listeners) {
        try {
          call(listener);
        } catch (error) {
          this.#world.log.error({ err: error }, 'a listener of the simulated cloud failed');
        }
      }
    });
  }

  #fail(server: Server, code: number, message: string, details: string): void {
    releasePorts(this.#world, server);
    this.#volumes.release(server);
    this.#recordFault(server, { code, message, details, createdMs: this.#world.clock.now() });
  }

  #recordFault(server: Server, fault: ServerFault): void {
    this.settle({ ...server, vmState: 'error', fault });
  }

  /** Stops the server, which keeps its ports and volumes until it is reclaimed. */
  #finishSoftDelete(server: Server): void {
    const kept = { ...server, vmState: 'soft-delete' as const, taskState: null };
    this.notifyDown(this.begin(kept, 'delete', this.#world.config.reclaimInstanceIntervalMs ?? 0), 'deleted');
  }

  #finishDelete(server: Server): void {
    const { clock, tables } = this.#world;
    releasePorts(this.#world, server);
    this.#volumes.release(server);
    const horizonMs = clock.now() - DELETED_RETENTION_MS;
    for (const old of tables.servers.where((s) => s.deletedMs !== null && s.deletedMs < horizonMs))
      tables.servers.delete(old.id);
    const row = this.settle({
      ...server,
      vmState: 'deleted',
      deletedMs: clock.now(),
      userData: null,
      groupId: null,
      host: null,
    });
    this.notifyDown(row, 'deleted');
  }
}

function isRunning(server: Server): boolean {
  const isUp = server.vmState === 'active' || server.vmState === 'resized';
  return isUp && server.deletedMs === null && server.pending === null;
}
