import { type LifecycleStep, pickDurationMs } from '../http/latency.ts';
import { Agenda } from '../state/agenda.ts';
import type { World } from '../world.ts';
import type { Snapshot, Volume, VolumeStep } from './records.ts';

const VOLUME_STEPS: Readonly<Record<VolumeStep['step'], LifecycleStep>> = {
  create: 'createVolume',
  delete: 'deleteVolume',
  extend: 'extendVolume',
  retype: 'retypeVolume',
};

/** Final status if the back end fails. */
const FAILED_STATUS = { create: 'error', delete: 'error_deleting', extend: 'error_extending' } as const;

/** Work that is done after the API's response, after a delay set in the latency profile. */
type Work =
  | { readonly step: 'create' | 'delete' }
  | { readonly step: 'extend'; readonly sizeGiB: number }
  | { readonly step: 'retype'; readonly typeId: string };

/** Simulates Cinder's scheduler and back ends for volumes and snapshots, step by step on the cloud's clock. */
export class VolumeLifecycle {
  readonly #world: World;
  readonly #volumes: Agenda<Volume>;
  readonly #snapshots: Agenda<Snapshot>;

  constructor(world: World) {
    this.#world = world;
    this.#volumes = new Agenda(world, world.tables.volumes, (volume) => this.#runVolume(volume));
    this.#snapshots = new Agenda(world, world.tables.snapshots, (snapshot) => this.#runSnapshot(snapshot));
  }

  resume(): void {
    this.#volumes.resume();
    this.#snapshots.resume();
  }

  close(): void {
    this.#volumes.close();
    this.#snapshots.close();
  }

  /** Stores the volume with pending work, replacing earlier pending work. */
  begin(volume: Volume, work: Work): Volume {
    const pending = { ...work, dueMs: this.#dueMs(VOLUME_STEPS[work.step]) };
    return this.#volumes.put({ ...volume, updatedMs: this.#world.clock.now(), pending });
  }

  beginSnapshot(snapshot: Snapshot, step: 'create' | 'delete'): Snapshot {
    const pending = { step, dueMs: this.#dueMs(step === 'create' ? 'createSnapshot' : 'deleteSnapshot') };
    return this.#snapshots.put({ ...snapshot, updatedMs: this.#world.clock.now(), pending });
  }

  /** Stores the volume without pending work. */
  settle(volume: Volume): Volume {
    return this.#volumes.put({ ...volume, updatedMs: this.#world.clock.now(), pending: null });
  }

  settleSnapshot(snapshot: Snapshot): Snapshot {
    return this.#snapshots.put({ ...snapshot, updatedMs: this.#world.clock.now(), pending: null });
  }

  #dueMs(step: LifecycleStep): number {
    const { clock, random, config } = this.#world;
    return clock.now() + pickDurationMs(config.latency.lifecycle[step], random);
  }

  #hasFailed(step: string, projectId: string): boolean {
    const { faults, tables } = this.#world;
    return faults.matchVolume(step, projectId, tables.projects.get(projectId)?.name ?? '');
  }

  #runVolume(volume: Volume): void {
    const { pending } = volume;
    if (pending && this.#hasFailed(pending.step, volume.projectId)) {
      const kept =
        pending.step === 'retype' ? restoredVolume(volume) : { ...volume, status: FAILED_STATUS[pending.step] };
      this.settle(kept);
      return;
    }
    switch (pending?.step) {
      case 'create':
        this.settle({ ...volume, status: 'available' });
        return;
      case 'delete':
        this.#world.tables.volumes.delete(volume.id);
        return;
      case 'extend':
        this.settle({ ...restoredVolume(volume), sizeGiB: pending.sizeGiB });
        return;
      case 'retype':
        this.settle({ ...restoredVolume(volume), typeId: pending.typeId });
        return;
      case undefined:
        return;
    }
  }

  #runSnapshot(snapshot: Snapshot): void {
    const step = snapshot.pending?.step === 'delete' ? 'delete' : 'create';
    if (this.#hasFailed(step, snapshot.projectId)) {
      this.settleSnapshot({ ...snapshot, status: FAILED_STATUS[step] });
      return;
    }
    if (snapshot.pending?.step === 'create') this.settleSnapshot({ ...snapshot, status: 'available' });
    else this.#world.tables.snapshots.delete(snapshot.id);
  }
}

function restoredVolume(volume: Volume): Volume {
  return { ...volume, status: volume.previousStatus ?? 'available', previousStatus: null };
}
