import { join } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { captureGrant } from '@fairway/base/fence';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneState, ControlPlaneUsage, Endpoint } from '../runtime.ts';
import { type ClusterRecord, makeRecord, readRecord, wipedRecord, writeRecord } from './cluster-record.ts';
import type { Files } from './files.ts';
import { RECORD_FILE } from './folder-layout.ts';
import type { Probes } from './probes.ts';
import type { ProcessHost } from './process-host.ts';
import { ControlPlaneSupervisor } from './supervisor.ts';

/** Options of all process-based runtimes on this machine. */
export interface ProcessMachine {
  /** The directory that contains a subdirectory for each cluster, named after its UID. */
  readonly folder: string;
  /**
   * Bind address of API servers: an address of this machine that nodes can reach. Clusters keep the address with which
   * they started.
   */
  readonly address: string;
  readonly host: ProcessHost;
  readonly probes: Probes;
  readonly files: Files;
  readonly isPortFree: (port: number) => Promise<boolean>;
  /** Environment of the programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** State of one cluster's control plane in this process. */
export interface Slot<Parts> {
  readonly uid: string;
  readonly folder: string;
  readonly supervisor: ControlPlaneSupervisor;
  /** Parts that a runtime needs in addition to the supervisor. */
  readonly parts: Parts;
  record: ClusterRecord | undefined;
  /** Version last passed to the supervisor. */
  desiredVersion: string | undefined;
  /** Whether this process may still act on the control plane, as of the last call. */
  mayAct: () => boolean;
  /** The `ensure` in progress; the next one waits for it. */
  pending: Promise<unknown>;
  /** Whether the control plane is being removed. */
  isBeingRemoved: boolean;
}

export interface SlotParts<Parts> {
  /** Creates the parts of a cluster that is new to this process. */
  open(cluster: Pick<Slot<Parts>, 'uid' | 'folder' | 'supervisor'>, announce: () => void): Parts;
  /** Resolves when the parts have stopped. Final. */
  stop(parts: Parts): Promise<void>;
  /** Removes resources outside the cluster's directory, before the directory is removed. */
  remove(slot: Slot<Parts>): Promise<void>;
  /** Releases what was allocated to the cluster once its directory is removed. */
  free(slot: Slot<Parts>): Promise<void>;
}

/**
 * The clusters of a process runtime: one slot for each cluster that this process manages, one directory for each
 * cluster on the machine.
 */
export class ClusterSlots<Parts> {
  readonly #machine: ProcessMachine;
  readonly #parts: SlotParts<Parts>;
  readonly #slots = new Map<string, Slot<Parts>>();
  readonly #listeners = new Set<(clusterUid: string) => void>();
  readonly #ports = new Set<number>();
  /** Clusters known to have no running programs. */
  readonly #hibernated = new Set<string>();
  /** Clusters whose directory this process has wiped, until they are used again. */
  readonly #wiped = new Set<string>();
  /** The last errors of clusters that could not be wiped. */
  readonly #wipeErrors = new Map<string, unknown>();
  #isClosed = false;
  /** Stops in progress; each resolves when it has ended. */
  readonly #stopping = new Map<string, Promise<void>>();
  /** Failures of all supervisors, including those of deleted clusters. */
  #restarts = 0;

  constructor(machine: ProcessMachine, parts: SlotParts<Parts>) {
    this.#machine = machine;
    this.#parts = parts;
  }

  /** Queues work on a cluster behind its work in progress, unless the cluster is being removed. */
  async serialize(uid: string, work: (slot: Slot<Parts>) => Promise<void>): Promise<Slot<Parts>> {
    if (this.#isClosed) throw new Error('the control plane runtime is closed');
    await this.#stopping.get(uid);
    const slot = this.#slotOf(uid);
    this.#hibernated.delete(uid);
    this.#forgetWipe(uid);
    if (slot.isBeingRemoved) return slot;
    slot.mayAct = captureGrant();
    const turn = slot.pending.then(() => work(slot));
    slot.pending = turn.catch(() => {});
    await turn;
    return slot;
  }

  /** The record of a cluster; created if it has none. */
  async recordOf(slot: Slot<Parts>, endpoint: Endpoint | undefined): Promise<ClusterRecord> {
    const { files, address, random, isPortFree } = this.#machine;
    const { folder } = slot;
    const others = this.#folders().map((uid) => this.#folderOf(uid));
    slot.record ??=
      readRecord(files, folder) ??
      (await makeRecord({ files, folder, others, ports: this.#ports, address, endpoint, random, isPortFree }));
    return slot.record;
  }

  /**
   * Updates a record durably. Does nothing if the record is unchanged, or if another process now manages the cluster.
   * Rejects if the record cannot be written: the cached record then still matches the disk, so the next call writes the
   * change instead of considering it unchanged.
   */
  async keep(slot: Slot<Parts>, change: Partial<ClusterRecord>): Promise<void> {
    const before = slot.record;
    if (before === undefined) return;
    const record = { ...before, ...change };
    if (JSON.stringify(record) === JSON.stringify(before) || !slot.mayAct()) return;
    slot.record = record;
    try {
      await writeRecord(this.#machine.files, slot.folder, record);
    } catch (error) {
      // Must not undo another call's change.
      if (slot.record === record) slot.record = before;
      throw error;
    }
  }

  /** Records the version being served, for when the API server is down. */
  async recordVersion(slot: Slot<Parts>): Promise<void> {
    const { ready, current } = slot.supervisor.state.components['kube-apiserver'];
    if (ready && current && slot.desiredVersion !== undefined) await this.keep(slot, { version: slot.desiredVersion });
  }

  usage(): ControlPlaneUsage {
    const controlPlanes = [...this.#slots.values()].map(({ supervisor }) => supervisor.usage());
    const memory = controlPlanes.flatMap(({ memoryBytes }) => (memoryBytes === undefined ? [] : [memoryBytes]));
    return {
      managed: controlPlanes.length,
      running: controlPlanes.filter(({ isComplete }) => isComplete).length,
      restarts: this.#restarts,
      memoryBytes: memory.length === 0 ? undefined : memory.reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  /** Records of all clusters on this machine, regardless of which process manages them. */
  records(): ReadonlyMap<string, ClusterRecord> {
    const { files } = this.#machine;
    return new Map(
      this.#folders().flatMap((uid) => {
        const record = this.#slots.get(uid)?.record ?? readRecord(files, this.#folderOf(uid));
        return record === undefined ? [] : [[uid, record] as const];
      }),
    );
  }

  /**
   * The record of a cluster, regardless of which process manages it; undefined if its directory is not on this machine.
   */
  knownRecord(uid: string): { readonly folder: string; readonly record: ClusterRecord } | undefined {
    const folder = this.#folderOf(uid);
    const record = this.#slots.get(uid)?.record ?? readRecord(this.#machine.files, folder);
    return record && { folder, record };
  }

  list(): readonly string[] {
    return [...new Set([...this.#slots.keys(), ...this.#folders()])];
  }

  /**
   * Whether all programs of a cluster have stopped; stops those still running. The cluster's data is kept, and the next
   * queued call starts with a new slot.
   */
  hibernate(uid: string): boolean {
    if (this.#isClosed) throw new Error('the control plane runtime is closed');
    if (this.#hibernated.has(uid) || !this.list().includes(uid)) return true;
    if (this.#slots.get(uid)?.isBeingRemoved || this.#stopping.has(uid)) return false;
    const slot = this.#slotOf(uid);
    slot.mayAct = captureGrant();
    const stopping = this.#stopSlot(slot).finally(() => {
      this.#stopping.delete(uid);
      this.announce(uid);
    });
    this.#stopping.set(uid, stopping);
    return false;
  }

  /**
   * Whether a cluster's directory is like that of a new cluster with the same port, user and encryption key; if not,
   * starts wiping it. After a failure, each call makes an attempt, waits for it, and rejects with the error: the caller
   * reports it and decides when to retry.
   */
  async wipe(uid: string): Promise<boolean> {
    if (this.#isClosed) throw new Error('the control plane runtime is closed');
    if (this.#wiped.has(uid) || !this.list().includes(uid)) return true;
    if (this.#slots.get(uid)?.isBeingRemoved || this.#stopping.has(uid)) return false;
    const slot = this.#slotOf(uid);
    slot.mayAct = captureGrant();
    const wiping = this.#stopSlot(slot, () => this.#emptyFolder(slot)).finally(() => {
      this.#stopping.delete(uid);
      this.announce(uid);
    });
    this.#stopping.set(uid, wiping);
    if (!this.#wipeErrors.has(uid)) return false;
    await wiping;
    if (this.#wipeErrors.has(uid)) throw this.#wipeErrors.get(uid);
    return this.#wiped.has(uid);
  }

  /** Whether a cluster is completely removed; starts removing what remains. */
  remove(uid: string): boolean {
    if (!this.list().includes(uid)) return true;
    const slot = this.#slotOf(uid);
    slot.mayAct = captureGrant();
    this.#hibernated.delete(uid);
    this.#forgetWipe(uid);
    if (!slot.isBeingRemoved) void this.#removeSlot(slot);
    return false;
  }

  /** Stops managing a cluster; its programs keep running. */
  async release(uid: string): Promise<void> {
    this.#hibernated.delete(uid);
    this.#forgetWipe(uid);
    const slot = this.#slots.get(uid);
    if (slot === undefined) return;
    this.#slots.delete(uid);
    await slot.pending;
    slot.supervisor.detach();
    await this.#parts.stop(slot.parts);
  }

  /** Stops the programs of all clusters except for those listed. The clusters' data is kept. */
  async stopUnwanted(shouldKeep: (uid: string) => boolean): Promise<void> {
    const unwanted = this.list().filter((uid) => !shouldKeep(uid));
    await Promise.all(
      unwanted.map(async (uid) => {
        const slot = this.#slotOf(uid);
        await slot.pending;
        await this.#parts.stop(slot.parts);
        await slot.supervisor.stop();
        if (!slot.isBeingRemoved) this.#slots.delete(uid);
      }),
    );
  }

  /** Accepts no more work and emits no more events. Running programs are not affected. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((uid) => this.release(uid)));
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param onStopped Called when it has stopped. */
  async #stopSlot(slot: Slot<Parts>, onStopped?: () => Promise<void>): Promise<void> {
    const isManaged = () => this.#slots.get(slot.uid) === slot && !slot.isBeingRemoved;
    try {
      await slot.pending;
      await this.#parts.stop(slot.parts);
      await slot.supervisor.stop(slot.mayAct);
      if (!isManaged() || !slot.mayAct()) return;
      await onStopped?.();
      this.#hibernated.add(slot.uid);
    } catch (error) {
      if (!isManaged()) return;
      if (onStopped) this.#wipeErrors.set(slot.uid, error);
      this.#machine.log.error(
        { err: error, cluster: slot.uid },
        onStopped ? 'could not wipe a control plane' : 'could not stop a control plane for hibernation',
      );
    } finally {
      // A stopped slot does not start again; the next caller creates a new one.
      if (isManaged()) this.#slots.delete(slot.uid);
    }
  }

  /** The record is deleted last, so that a wipe interrupted by a crash is repeated. */
  async #emptyFolder({ uid, folder, record }: Slot<Parts>): Promise<void> {
    const { files } = this.#machine;
    const known = record ?? readRecord(files, folder);
    await files.emptyFolder(folder, RECORD_FILE);
    if (known) await writeRecord(files, folder, wipedRecord(known));
    this.#wipeErrors.delete(uid);
    this.#wiped.add(uid);
  }

  #forgetWipe(uid: string): void {
    this.#wiped.delete(uid);
    this.#wipeErrors.delete(uid);
  }

  async #removeSlot(slot: Slot<Parts>): Promise<void> {
    const { files, log } = this.#machine;
    slot.isBeingRemoved = true;
    try {
      await slot.pending;
      await this.#parts.stop(slot.parts);
      await slot.supervisor.stop(slot.mayAct);
      if (!slot.mayAct()) return;
      slot.record ??= readRecord(files, slot.folder);
      await this.#parts.remove(slot);
      await files.removeFolder(slot.folder);
      await this.#parts.free(slot);
      if (slot.record) this.#ports.delete(slot.record.port);
      this.#slots.delete(slot.uid);
    } catch (error) {
      slot.isBeingRemoved = false;
      log.error({ err: error, cluster: slot.uid }, 'could not remove a control plane');
    }
    this.announce(slot.uid);
  }

  #slotOf(uid: string): Slot<Parts> {
    const known = this.#slots.get(uid);
    if (known) return known;
    const { host, probes, files, clock, log } = this.#machine;
    const folder = this.#folderOf(uid);
    const announce = () => this.announce(uid);
    const supervisor = new ControlPlaneSupervisor({
      folder,
      host,
      probes,
      files,
      clock,
      log: log.child({ cluster: uid }),
      onChange: announce,
      onFailure: () => {
        this.#restarts++;
      },
    });
    const slot: Slot<Parts> = {
      uid,
      folder,
      supervisor,
      parts: this.#parts.open({ uid, folder, supervisor }, announce),
      record: undefined,
      desiredVersion: undefined,
      mayAct: () => true,
      pending: Promise.resolve(),
      isBeingRemoved: false,
    };
    this.#slots.set(uid, slot);
    return slot;
  }

  #folders(): readonly string[] {
    return this.#machine.files.folders(this.#machine.folder);
  }

  #folderOf(uid: string): string {
    return join(this.#machine.folder, uid);
  }

  /** Notifies listeners that a cluster's state may have changed. */
  announce(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }
}

/** State of a control plane that is being removed. */
export function removingState(endpoint: Endpoint | undefined): ControlPlaneState {
  return {
    phase: 'Updating',
    endpoint,
    version: undefined,
    ready: false,
    reason: 'Deleting',
    message: 'The control plane is being removed.',
    etcdUsageBytes: undefined,
  };
}
