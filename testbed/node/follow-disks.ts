import { blockStorageService } from '@fairway/openstack/block-storage/service';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { pages } from '@fairway/openstack/pages';
import { ServiceApi } from '@fairway/openstack/service-api';
import { Volume } from '@fairway/openstack/types/block-storage';
import { Link } from '@fairway/openstack/types/link';
import { z } from 'zod';

const VolumePage = z.object({ volumes: z.array(Volume), volumes_links: z.array(Link).optional() });
/**
 * Only the letter matters, because the bus in Nova's device name depends on Nova's driver. The first disk is the boot
 * disk, which the root file system represents.
 */
const DISK_DEVICE = /^\/dev\/(?:xv|[hsv])d([b-z])$/;

interface Disk {
  readonly serverId: string;
  readonly volumeId: string;
  readonly sizeGib: number;
  readonly device: string;
}

export type Testbed = (...args: readonly string[]) => Promise<string>;

/** Attaches disks to hosts, and detaches them, to match the cloud's attachments, and removes deleted volumes. */
export class DiskReconciler {
  readonly #blockStorage: ServiceApi;
  readonly #testbed: Testbed;

  constructor({ session }: Pick<OpenStackClient, 'session'>, testbed: Testbed) {
    this.#blockStorage = new ServiceApi(session, 'block-storage', blockStorageService.microversions);
    this.#testbed = testbed;
  }

  /** `hosts`: host name by server ID. */
  async follow(hosts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    const volumes = await Array.fromAsync(this.#list(signal));
    const desired = volumes.flatMap(disksOf).filter(({ serverId }) => hosts.has(serverId));
    const attached = await this.#attachedDisks();
    const key = ({ serverId, volumeId }: Pick<Disk, 'serverId' | 'volumeId'>) => `${serverId} ${volumeId}`;
    const desiredKeys = new Set(desired.map(key));
    const sizes = new Map(attached.map((disk) => [key(disk), disk.sizeGib]));

    // A volume is detached from one host before it is attached to the next.
    for (const disk of attached.filter((each) => !desiredKeys.has(key(each)))) {
      const host = hosts.get(disk.serverId);
      if (host !== undefined) await this.#testbed('detach', host, disk.volumeId);
    }
    for (const disk of desired.filter((each) => sizes.get(key(each)) !== each.sizeGib)) {
      const host = hosts.get(disk.serverId) ?? '';
      await this.#testbed('attach', host, disk.volumeId, String(disk.sizeGib), disk.device);
    }
    const volumeIds = new Set(volumes.map(({ id }) => id));
    const deletedVolumes = lines(await this.#testbed('volumes')).filter((id) => !volumeIds.has(id));
    if (deletedVolumes.length > 0) await this.#testbed('forget', ...deletedVolumes);
  }

  async #attachedDisks(): Promise<readonly Omit<Disk, 'device'>[]> {
    return lines(await this.#testbed('disks')).map((line) => {
      const [serverId = '', volumeId = '', sizeGib] = line.split(' ');
      return { serverId, volumeId, sizeGib: Number(sizeGib) };
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
    const letter = DISK_DEVICE.exec(device ?? '')?.[1];
    return serverId && letter ? [{ serverId, volumeId: id, sizeGib: size, device: `/dev/vd${letter}` }] : [];
  });
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
