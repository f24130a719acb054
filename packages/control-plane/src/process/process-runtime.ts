import { join } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { leaveToAct } from '@fairway/base/fence';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneRuntime, ControlPlaneSpec, ControlPlaneState, Endpoint } from '../runtime.ts';
import { BinaryFinder } from './binary-finder.ts';
import { type ClusterRecord, endpointOf, makeRecord, quotaToApply, readRecord, writeRecord } from './cluster-record.ts';
import { controlPlaneState } from './control-plane-state.ts';
import { DatabaseRoom } from './database-room.ts';
import { prepareControlPlane } from './desired-control-plane.ts';
import { etcdCall } from './etcd-client.ts';
import type { Files } from './files.ts';
import type { Binaries } from './find-binaries.ts';
import type { Probes } from './probes.ts';
import type { ProcessHost } from './process-host.ts';
import { ClusterSnapshots } from './snapshots/cluster-snapshots.ts';
import type { RunProgram } from './snapshots/restore-tool.ts';
import { SnapshotFolder } from './snapshots/snapshot-folder.ts';
import { ControlPlaneSupervisor } from './supervisor.ts';

export interface ProcessRuntimeOptions {
  /** Holds a folder for each cluster, named by its UID. */
  readonly folder: string;
  /** Where API servers listen: of this machine, and one that nodes reach. Clusters keep the one that they began with. */
  readonly address: string;
  /** Holds a folder of snapshots for each cluster. */
  readonly snapshotFolder: string;
  readonly host: ProcessHost;
  readonly probes: Probes;
  readonly files: Files;
  /** Looks for binaries; asked again where none fit. */
  readonly findBinaries: () => Promise<readonly Binaries[]>;
  readonly isPortFree: (port: number) => Promise<boolean>;
  /** Where to look for what restores snapshots, after etcd's own folder. */
  readonly toolFolders: readonly string[];
  readonly runProgram: RunProgram;
  /** What the programs find in their environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What is known of one cluster's control plane in this process. */
interface Slot {
  readonly supervisor: ControlPlaneSupervisor;
  readonly snapshots: ClusterSnapshots;
  readonly room: DatabaseRoom;
  record: ClusterRecord | undefined;
  /** Version that the supervisor was last told to run. */
  wanted: string | undefined;
  /** Why it was not told. */
  problem: string | undefined;
  /** Whether the control plane is still ours to see to, since the last call. */
  mayAct: () => boolean;
  /** The work of `ensure` under way; the next waits for it. */
  turn: Promise<unknown>;
  removal: 'under way' | undefined;
}

/** Runs control planes as processes of this machine, which outlive this one when it is killed, and end with it when it is closed. */
export class ProcessRuntime implements ControlPlaneRuntime {
  readonly name = 'process';
  readonly #options: ProcessRuntimeOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #listeners = new Set<(clusterUid: string) => void>();
  readonly #ports = new Set<number>();
  readonly #binaries: BinaryFinder;
  #closed = false;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.#binaries = new BinaryFinder(options.findBinaries, options.clock);
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    if (this.#closed) throw new Error('the process runtime is closed');
    const slot = this.#slotOf(spec.cluster.uid);
    if (slot.removal !== undefined) return beingRemoved(spec.endpoint);
    slot.mayAct = leaveToAct();
    const turn = slot.turn.then(() => this.#prepare(slot, spec));
    slot.turn = turn.catch(() => {});
    await turn;
    return this.#stateOf(slot, spec);
  }

  remove(clusterUid: string): Promise<boolean> {
    const isKnown = this.#slots.has(clusterUid) || this.#folders().includes(clusterUid);
    if (!isKnown) return Promise.resolve(true);
    const slot = this.#slotOf(clusterUid);
    slot.mayAct = leaveToAct();
    if (slot.removal === undefined) void this.#removeSlot(clusterUid, slot);
    return Promise.resolve(false);
  }

  async release(clusterUid: string): Promise<void> {
    const slot = this.#slots.get(clusterUid);
    if (slot === undefined) return;
    this.#slots.delete(clusterUid);
    await slot.turn;
    slot.supervisor.leave();
    await Promise.all([slot.snapshots.stop(), slot.room.stop()]);
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...new Set([...this.#slots.keys(), ...this.#folders()])]);
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all control planes in order, also those that nobody has asked about. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await this.stopAllBut(() => false);
  }

  /** Ends nothing: whoever looks after them next adopts them. */
  async leave(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all([...this.#slots.keys()].map((uid) => this.release(uid)));
  }

  /** Ends what an earlier Fairway left running for clusters that are no more. Their data stays. */
  async stopAllBut(isWanted: (clusterUid: string) => boolean): Promise<void> {
    const unwanted = (await this.list()).filter((uid) => !isWanted(uid));
    await Promise.all(
      unwanted.map(async (uid) => {
        const slot = this.#slotOf(uid);
        await slot.turn;
        await Promise.all([slot.snapshots.stop(), slot.room.stop()]);
        await slot.supervisor.stop();
        if (slot.removal === undefined) this.#slots.delete(uid);
      }),
    );
  }

  async #removeSlot(uid: string, slot: Slot): Promise<void> {
    const { files, log } = this.#options;
    slot.removal = 'under way';
    try {
      await slot.turn;
      await Promise.all([slot.snapshots.stop(), slot.room.stop()]);
      await slot.supervisor.stop(slot.mayAct);
      if (!slot.mayAct()) return;
      slot.snapshots.removeAll();
      files.removeFolder(this.#folderOf(uid));
      if (slot.record) this.#ports.delete(slot.record.port);
      this.#slots.delete(uid);
    } catch (error) {
      slot.removal = undefined;
      log.error({ err: error, cluster: uid }, 'data of a control plane could not be removed');
    }
    this.#announce(uid);
  }

  async #prepare(slot: Slot, spec: ControlPlaneSpec): Promise<void> {
    const { files, clock, env } = this.#options;
    const folder = this.#folderOf(spec.cluster.uid);
    const binaries = await this.#binaries.for(spec.version);
    if ('problem' in binaries) {
      slot.problem = binaries.problem;
      return;
    }
    slot.record ??= readRecord(files, folder) ?? (await this.#newRecord(spec, folder));
    const endpoint = endpointOf(slot.record);
    const { databaseBytes } = slot.supervisor.state;
    const etcdQuotaBytes = quotaToApply(slot.record.etcdQuotaBytes, spec.etcdQuotaBytes, databaseBytes);
    if (etcdQuotaBytes !== slot.record.etcdQuotaBytes) {
      slot.record = { ...slot.record, etcdQuotaBytes };
      writeRecord(files, folder, slot.record);
    }
    const inputs = {
      spec: { ...spec, etcdQuotaBytes },
      binaries,
      record: slot.record,
      endpoint,
      folder,
      files,
      clock,
      env,
    };
    slot.problem = undefined;
    slot.wanted = binaries.version;
    const { mayAct } = slot;
    if (!slot.snapshots.isRestoring) await slot.supervisor.want(await prepareControlPlane(inputs), mayAct);
    const { isDatabaseFull, components } = slot.supervisor.state;
    const isEtcdAsWanted = components.etcd.ready && components.etcd.current && mayAct();
    slot.room.step(isDatabaseFull && isEtcdAsWanted, etcdQuotaBytes);
    slot.snapshots.ensure({ spec, record: slot.record, etcd: binaries.paths.etcd, mayAct }, (restored) => {
      if (slot.record === undefined) return;
      slot.record = { ...slot.record, ...restored };
      writeRecord(files, folder, slot.record);
    });
  }

  #newRecord(spec: ControlPlaneSpec, folder: string): Promise<ClusterRecord> {
    const { files, address, random, isPortFree } = this.#options;
    const others = this.#folders().map((uid) => this.#folderOf(uid));
    const ports = this.#ports;
    return makeRecord({ files, folder, others, ports, address, endpoint: spec.endpoint, random, isPortFree });
  }

  #stateOf(slot: Slot, spec: ControlPlaneSpec): ControlPlaneState {
    const endpoint = slot.record ? endpointOf(slot.record) : spec.endpoint;
    this.#noteVersion(spec.cluster.uid, slot);
    const version = slot.record?.version;
    const { state: snapshots, isRestoring } = slot.snapshots;
    const restoring = isRestoring ? snapshots.restoring?.message : undefined;
    const supervised = controlPlaneState({ supervised: slot.supervisor.state, endpoint, version, restoring });
    const state = { ...supervised, snapshots };
    if (state.phase === 'Running') slot.snapshots.settle(slot.record);
    if (slot.problem === undefined) return state;
    return { ...state, phase: 'Failed', reason: 'ControlPlaneFailed', message: slot.problem };
  }

  /** Keeps what serves now, for the time when it does not. */
  #noteVersion(uid: string, slot: Slot): void {
    const { ready, current } = slot.supervisor.state.components['kube-apiserver'];
    if (!ready || !current || !slot.record || !slot.wanted || slot.record.version === slot.wanted) return;
    slot.record = { ...slot.record, version: slot.wanted };
    writeRecord(this.#options.files, this.#folderOf(uid), slot.record);
  }

  #slotOf(uid: string): Slot {
    const known = this.#slots.get(uid);
    if (known) return known;
    const { host, probes, files, clock, log } = this.#options;
    const supervisor = new ControlPlaneSupervisor({
      folder: this.#folderOf(uid),
      host,
      probes,
      files,
      clock,
      log: log.child({ cluster: uid }),
      onChange: () => this.#announce(uid),
    });
    const snapshots = new ClusterSnapshots({
      folder: this.#folderOf(uid),
      snapshots: new SnapshotFolder(join(this.#options.snapshotFolder, uid)),
      toolFolders: this.#options.toolFolders,
      run: this.#options.runProgram,
      supervisor,
      probes,
      clock,
      log: log.child({ cluster: uid }),
      onChange: () => this.#announce(uid),
    });
    const room = new DatabaseRoom({
      call: etcdCall(this.#folderOf(uid)),
      clock,
      log: log.child({ cluster: uid }),
      onChange: () => this.#announce(uid),
    });
    const slot: Slot = {
      supervisor,
      snapshots,
      room,
      record: undefined,
      wanted: undefined,
      problem: undefined,
      mayAct: () => true,
      turn: Promise.resolve(),
      removal: undefined,
    };
    this.#slots.set(uid, slot);
    return slot;
  }

  #folders(): readonly string[] {
    return this.#options.files.folders(this.#options.folder);
  }

  #folderOf(uid: string): string {
    return join(this.#options.folder, uid);
  }

  #announce(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }
}

function beingRemoved(endpoint: Endpoint | undefined): ControlPlaneState {
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
