import { isNewRestore, type RestoreRequest } from '@fairway/api/domain/restore-request';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { OffHostReplicator } from '../../off-host/off-host-replicator.ts';
import type { SnapshotArchive } from '../../off-host/snapshot-archive.ts';
import type { ControlPlaneSpec, SnapshotInfo, SnapshotsState } from '../../runtime.ts';
import { type ClusterRecord, withRestore } from '../cluster-record.ts';
import { MAX_CONSECUTIVE_EXITS } from '../control-plane-state.ts';
import { syncTree } from '../files.ts';
import type { Probes } from '../probes.ts';
import type { ControlPlaneSupervisor } from '../supervisor.ts';
import { removeData, removeOtherData } from './data-folders.ts';
import { etcdSnapshot } from './etcd-snapshot-stream.ts';
import type { SnapshotCopies } from './obtain-snapshot.ts';
import { restoreData } from './restore-snapshot.ts';
import type { RunCommand } from './restore-tool.ts';
import { Restorer } from './restorer.ts';
import type { SnapshotFolder } from './snapshot-folder.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';

export interface ClusterSnapshotsOptions {
  /** The cluster's directory. */
  readonly folder: string;
  readonly snapshots: SnapshotFolder;
  /** Where copies are stored; undefined without off-host copies. */
  readonly archive: SnapshotArchive | undefined;
  readonly clusterUid: string;
  readonly toolFolders: readonly string[];
  readonly run: RunCommand;
  readonly supervisor: ControlPlaneSupervisor;
  readonly probes: Probes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

export interface DesiredSnapshots {
  readonly spec: Pick<ControlPlaneSpec, 'snapshots' | 'restore'>;
  readonly record: ClusterRecord;
  /** The etcd binary in use. */
  readonly etcd: string;
  /** Whether this process may still act on the control plane. */
  readonly mayAct: () => boolean;
}

type RestoredData = Pick<ClusterRecord, 'dataGeneration' | 'startRevision' | 'restored' | 'restoredBefore'>;

/** Takes one cluster's snapshots when they are due, and restores one on request. */
export class ClusterSnapshots {
  readonly #options: ClusterSnapshotsOptions;
  readonly #scheduler: SnapshotScheduler;
  readonly #restorer: Restorer;
  readonly #offHost: OffHostReplicator | undefined;
  #record: ClusterRecord | undefined;
  #mayAct: () => boolean = () => false;
  #isStopped = false;
  /** The data generation for which all earlier ones have been deleted. */
  #settled: number | undefined;

  constructor(options: ClusterSnapshotsOptions) {
    const { folder, snapshots, supervisor, clock, log, onChange } = options;
    this.#options = options;
    this.#scheduler = new SnapshotScheduler({
      folder: snapshots,
      stream: () => etcdSnapshot(folder),
      canTake: () => this.#mayAct() && supervisor.state.components.etcd.ready,
      clock,
      log,
      onChange,
    });
    const { archive, clusterUid } = options;
    this.#offHost =
      archive &&
      new OffHostReplicator({ clusterUid, archive, fileOf: (name) => snapshots.fileOf(name), clock, log, onChange });
    this.#restorer = new Restorer({ clock, log, onChange });
  }

  /** Takes a step towards the desired state. `keep` stores the changes that a restore makes to the record. */
  ensure({ spec, record, etcd, mayAct }: DesiredSnapshots, keep: (restored: RestoredData) => Promise<void>): void {
    this.#record = record;
    this.#mayAct = mayAct;
    const pending = pendingRestore(spec.restore, record);
    this.#scheduler.setDesired(spec.snapshots, new Set(pending === undefined ? [] : [pending.snapshot]));
    if (spec.snapshots !== undefined) {
      const { keep } = spec.snapshots;
      this.#offHost?.setDesired({ list: this.#scheduler.list(), keep, record: JSON.stringify(record), mayAct });
    }
    // A restore first takes a snapshot, so etcd is given time to start, unless etcd keeps failing.
    const { ready, failures } = this.#options.supervisor.state.components.etcd;
    if (!ready && failures < MAX_CONSECUTIVE_EXITS) return;
    this.#restorer.step(pending, async (request) => {
      const { folder, snapshots, toolFolders, run, supervisor, probes, clock } = this.#options;
      const restoredData = await restoreData({
        request,
        folder,
        record,
        snapshots,
        copies: this.#copies(),
        mayAct: () => !this.#isStopped && mayAct(),
        etcd,
        toolFolders,
        run,
        status: () => probes.etcd(folder),
        save: (reason) => this.#scheduler.take(reason),
        sync: syncTree,
        remove: removeData,
      });
      await supervisor.hibernate(mayAct);
      if (!mayAct()) throw new Error('another process manages this control plane');
      await keep({ ...restoredData, ...withRestore(record, request, clock.now()) });
    });
  }

  /** To be called when the control plane is ready: data from before a restore is no longer required. */
  async settle(record: ClusterRecord | undefined): Promise<void> {
    if (record === undefined || this.#restorer.isBusy || this.#settled === (record.dataGeneration ?? 0)) return;
    await removeOtherData(this.#options.folder, record.dataGeneration);
    this.#settled = record.dataGeneration ?? 0;
  }

  get isRestoring(): boolean {
    return this.#restorer.isBusy;
  }

  get state(): SnapshotsState {
    return {
      list: withCopies(this.#scheduler.list(), this.#offHost?.copies ?? []),
      problem: this.#scheduler.problem,
      offHostProblem: this.#offHost?.problem,
      restored: this.#record?.restored,
      restoredBefore: this.#record?.restoredBefore,
      restoring: this.#restorer.state,
    };
  }

  #copies(): SnapshotCopies | undefined {
    const { archive, clusterUid } = this.#options;
    return (
      archive && {
        description: archive.description,
        list: () => archive.list(clusterUid),
        open: async (name) => (await archive.open(clusterUid, name)).chunks,
      }
    );
  }

  /** Resolves when all writes have ended. Final. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#scheduler.stop(), this.#restorer.stop(), this.#offHost?.stop()]);
  }

  removeAll(): Promise<void> {
    return this.#options.snapshots.removeAll();
  }
}

function pendingRestore(
  requested: RestoreRequest | undefined,
  { restored, restoredBefore }: ClusterRecord,
): RestoreRequest | undefined {
  const past = { lastRestore: restored, earlierRestores: restoredBefore };
  return requested !== undefined && isNewRestore(requested, past) ? requested : undefined;
}

/** Snapshots on this machine, and those that exist only off-host; newest first. */
function withCopies(localSnapshots: readonly SnapshotInfo[], copies: readonly SnapshotInfo[]): readonly SnapshotInfo[] {
  const names = new Set(localSnapshots.map(({ name }) => name));
  const elsewhere = copies.filter(({ name }) => !names.has(name));
  if (elsewhere.length === 0) return localSnapshots;
  const all = [...localSnapshots, ...elsewhere].map(({ name, takenAtMs, sizeBytes }) => ({
    name,
    takenAtMs,
    sizeBytes,
  }));
  return all.sort((a, b) => b.takenAtMs - a.takenAtMs);
}
