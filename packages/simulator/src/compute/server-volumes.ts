import { completeAttachment, connect, release, reserveAttachment } from '../block-storage/attachments.ts';
import type { Attachment, Volume } from '../block-storage/records.ts';
import { makeVolume } from '../block-storage/volume-create.ts';
import type { VolumeLifecycle } from '../block-storage/volume-lifecycle.ts';
import { deleteVolume } from '../block-storage/volume-routes.ts';
import { ApiError } from '../http/api.ts';
import { pickDurationMs } from '../http/latency.ts';
import { Agenda } from '../state/agenda.ts';
import type { World } from '../world.ts';
import { forbidden } from './problem.ts';
import type { RequestedVolume, Server, ServerVolume } from './records.ts';

/** Simulates compute hosts' handling of volumes: attaching, detaching, and creating boot volumes. */
export class ServerVolumes {
  readonly #world: World;
  readonly #volumeLifecycle: VolumeLifecycle;
  readonly #agenda: Agenda<Attachment>;

  constructor(world: World, volumeLifecycle: VolumeLifecycle) {
    this.#world = world;
    this.#volumeLifecycle = volumeLifecycle;
    this.#agenda = new Agenda(world, world.tables.attachments, (attachment) => this.#run(attachment));
  }

  resume(): void {
    this.#agenda.resume();
  }

  close(): void {
    this.#agenda.close();
  }

  /** Reserves a volume for a running server and attaches it later. */
  attach(
    server: Server,
    volume: Volume,
    options: { readonly tag: string | null; readonly deleteOnTermination: boolean },
  ): ServerVolume {
    const { maxDisksPerServer } = this.#world.config;
    const disks = server.volumes.length + (server.imageId === null ? 0 : 1);
    if (maxDisksPerServer !== undefined && disks >= maxDisksPerServer) {
      throw forbidden(
        `The maximum allowed number of disk devices (${maxDisksPerServer}) to attach to a single instance has been exceeded.`,
      );
    }
    const attachment = reserveAttachment(this.#world, volume, { instanceId: server.id, mode: null });
    const serverVolume: ServerVolume = {
      ...options,
      id: volume.id,
      device: nextDevice(server),
      mappingId: this.#world.ids.uuid(),
      attachmentId: attachment.id,
    };
    this.#save(server, [...server.volumes, serverVolume]);
    this.#plan(attachment, 'attach');
    return serverVolume;
  }

  /** Detaches a volume whose status is already `detaching` from a server. */
  detach(attachment: Attachment): void {
    this.#plan(attachment, 'detach');
  }

  /** Creates the volumes of a server that is being built. Throws Cinder's error if Cinder rejects one of them. */
  make(server: Server): Server {
    const volumes = server.volumes.map((volume) => {
      const { wanted, ...made } = volume;
      if (wanted === undefined) return volume;
      return { ...made, attachmentId: this.#makeVolume(server, volume.id, wanted).id };
    });
    return this.#save(server, volumes);
  }

  /** Attaches the volumes of a server that is booting. */
  plug(server: Server): void {
    for (const { attachmentId, device = null } of server.volumes) {
      const attachment = this.#world.tables.attachments.get(attachmentId ?? '');
      if (attachment !== undefined) this.#connect(attachment, server, device);
    }
  }

  /** Detaches all volumes of a deleted server, and deletes those with delete_on_termination. */
  release(server: Server): void {
    const { attachments, volumes } = this.#world.tables;
    for (const { id, attachmentId, deleteOnTermination } of server.volumes) {
      const attachment = attachments.get(attachmentId ?? '');
      if (attachment !== undefined) release(this.#world, attachment);
      const volume = volumes.get(id);
      if (volume !== undefined && deleteOnTermination) this.#deleteIfFree(volume);
    }
  }

  /** Deletes a volume, unless Cinder refuses, for example because of snapshots: then Nova leaves the volume behind. */
  #deleteIfFree(volume: Volume): void {
    try {
      deleteVolume(this.#world, this.#volumeLifecycle, volume);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#world.log.warn({ volume: volume.id, reason: error.message }, 'a volume is left behind by its server');
    }
  }

  #makeVolume(server: Server, id: string, { sizeGiB, typeId, imageId, snapshotId }: RequestedVolume): Attachment {
    const { tables } = this.#world;
    const snapshot = tables.snapshots.get(snapshotId ?? '');
    const volume = makeVolume(this.#world, this.#volumeLifecycle, {
      id,
      projectId: server.projectId,
      userId: server.userId,
      name: '',
      description: '',
      metadata: {},
      sizeGiB,
      zone: null,
      type: tables.volumeTypes.get(typeId ?? '') ?? null,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(imageId === null ? {} : { imageId }),
    });
    // Nova waits for the volume, which is part of the server's build time.
    const made = this.#volumeLifecycle.settle({ ...volume, status: 'available' });
    return reserveAttachment(this.#world, made, { instanceId: server.id, mode: null });
  }

  #plan(attachment: Attachment, step: 'attach' | 'detach'): void {
    const { clock, random, config } = this.#world;
    const lifecycle = config.latency.lifecycle[step === 'attach' ? 'attachVolume' : 'detachVolume'];
    this.#agenda.put({ ...attachment, pending: { step, dueMs: clock.now() + pickDurationMs(lifecycle, random) } });
  }

  #run(attachment: Attachment): void {
    const server = this.#world.tables.servers.get(attachment.instanceId ?? '');
    if (attachment.pending?.step === 'detach') {
      release(this.#world, attachment);
      if (server === undefined) return;
      this.#save(
        server,
        server.volumes.filter(({ attachmentId }) => attachmentId !== attachment.id),
      );
      return;
    }
    const serverVolume = server?.volumes.find(({ attachmentId }) => attachmentId === attachment.id);
    if (server === undefined || serverVolume === undefined) release(this.#world, attachment);
    else this.#connect(attachment, server, serverVolume.device ?? null);
  }

  #connect(attachment: Attachment, { host }: Server, device: string | null): void {
    completeAttachment(this.#world, connect(this.#world, attachment, { host, device, mode: attachment.mode ?? 'rw' }));
  }

  #save(server: Server, volumes: readonly ServerVolume[]): Server {
    return this.#world.tables.servers.put({ ...server, volumes, updatedMs: this.#world.clock.now() });
  }
}

/** The first free name, because KVM ignores requested names. */
function nextDevice(server: Server): string {
  const used = new Set(server.volumes.map(({ device }, i) => device ?? deviceName(i)));
  for (let i = server.imageId === null ? 0 : 1; ; i++) if (!used.has(deviceName(i))) return deviceName(i);
}

/** `/dev/vda` to `/dev/vdz`, then `/dev/vdaa`. */
export function deviceName(index: number): string {
  const letter = String.fromCodePoint(97 + (index % 26));
  return index < 26 ? `/dev/vd${letter}` : `${deviceName(Math.floor(index / 26) - 1)}${letter}`;
}
