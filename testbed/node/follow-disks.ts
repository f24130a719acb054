import { blockStorageService } from '@fairway/openstack/block-storage/service';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { pages } from '@fairway/openstack/pages';
import { ServiceApi } from '@fairway/openstack/service-api';
import { Volume } from '@fairway/openstack/types/block-storage';
import { Link } from '@fairway/openstack/types/link';
import { z } from 'zod';

const VolumePage = z.object({ volumes: z.array(Volume), volumes_links: z.array(Link).optional() });
/**
 * Only the letter counts: the bus in Nova's device name depends on its driver. The first disk is the boot disk, represented by the root file system.
 */
const DISK = /^\/dev\/(?:xv|[hsv])d([b-z])$/;

interface Disk {
  readonly serverId: string;
  readonly volumeId: string;
  readonly gib: number;
  readonly device: string;
}

export type Testbed = (...args: readonly string[]) => Promise<string>;

/** Attaches and detaches disks of hosts according to the cloud's attachments, and drops deleted volumes. */
export class Disks {
  readonly #blockStorage: ServiceApi;
  readonly #testbed: Testbed;

  constructor({ session }: Pick<OpenStackClient, 'session'>, testbed: Testbed) {
    this.#blockStorage = new ServiceApi(session, 'block-storage', blockStorageService.microversions);
    this.#testbed = testbed;
  }

  /** `hosts`: server id → name of its host. */
  async follow(hosts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    const volumes = await Array.fromAsync(this.#list(signal));
    const wanted = volumes.flatMap(disksOf).filter(({ serverId }) => hosts.has(serverId));
    const plugged = await this.#plugged();
    const key = ({ serverId, volumeId }: Pick<Disk, 'serverId' | 'volumeId'>) => `${serverId} ${volumeId}`;
    const isWanted = new Set(wanted.map(key));
    const sizes = new Map(plugged.map((disk) => [key(disk), disk.gib]));

    // A volume is detached from one host before it is attached to the next.
    for (const disk of plugged.filter((each) => !isWanted.has(key(each)))) {
      const host = hosts.get(disk.serverId);
      if (host !== undefined) await this.#testbed('detach', host, disk.volumeId);
    }
    for (const disk of wanted.filter((each) => sizes.get(key(each)) !== each.gib)) {
      const host = hosts.get(disk.serverId) ?? '';
      await this.#testbed('attach', host, disk.volumeId, String(disk.gib), disk.device);
    }
    const known = new Set(volumes.map(({ id }) => id));
    const forgotten = lines(await this.#testbed('volumes')).filter((id) => !known.has(id));
    if (forgotten.length > 0) await this.#testbed('forget', ...forgotten);
  }

  async #plugged(): Promise<readonly Omit<Disk, 'device'>[]> {
    return lines(await this.#testbed('disks')).map((line) => {
      const [serverId = '', volumeId = '', gib] = line.split(' ');
      return { serverId, volumeId, gib: Number(gib) };
    });
  }

  /** Volumes of all projects, as visible to an administrator. */
  #list(signal: AbortSignal): AsyncGenerator<Volume> {
    return pages(this.#blockStorage, '/volumes/detail', {
      signal,
      query: { all_tenants: 1 },
      schema: VolumePage,
      page: (wire) => ({
        items: wire.volumes,
        next: wire.volumes_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }
}

function disksOf({ id, size, attachments }: Volume): readonly Disk[] {
  return attachments.flatMap(({ server_id: serverId, device }) => {
    const letter = DISK.exec(device ?? '')?.[1];
    return serverId && letter ? [{ serverId, volumeId: id, gib: size, device: `/dev/vd${letter}` }] : [];
  });
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
