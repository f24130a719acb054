import { machines } from '@fairway/api/kinds/machine';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes, VolumeAttachments } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { describe, expect, test } from 'vitest';
import { aClaim, aVolume } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const EMPTY_OBJECT = { metadata: {}, spec: {} };

/** A cluster of two nodes with a claim and its volume. */
async function withVolume(): Promise<AttachmentFairway> {
  const storage = await StorageFairway.start({}, { random: seededRandom(54) });
  await storage.fairway.createPool({ replicas: 2 }, 'more');
  await storage.clock.during(
    storage.fairway.until(machines, (all) => all.length === 3 && all.every(({ status }) => status?.phase === 'Ready')),
  );
  await storage.create(aClaim());
  await storage.clock.pass(MINUTE_MS);
  return new AttachmentFairway(storage);
}

class AttachmentFairway implements AsyncDisposable {
  readonly storage: StorageFairway;

  constructor(storage: StorageFairway) {
    this.storage = storage;
  }

  get attachments() {
    return this.storage.client.resource(VolumeAttachments);
  }

  async nodes(): Promise<readonly { readonly name: string; readonly serverID: string }[]> {
    const all = await this.storage.fairway.machines();
    return all.map(({ metadata, status }) => ({ name: metadata.name ?? '', serverID: status?.serverID ?? '' }));
  }

  /** Creates the VolumeAttachment that kube-controller-manager creates when a pod with the claim is bound to a node. */
  async attach(name: string, nodeName: string, volume?: string): Promise<void> {
    const [known] = await this.storage.persistentVolumes();
    const source = { persistentVolumeName: volume ?? known?.metadata.name ?? '' };
    const spec = { attacher: 'cinder.csi.openstack.org', nodeName, source };
    await this.attachments.create({ ...EMPTY_OBJECT, metadata: { name }, spec });
  }

  async get(name: string): Promise<VolumeAttachment | undefined> {
    const { items } = await this.attachments.list();
    return items.find(({ metadata }) => metadata.name === name);
  }

  /** Servers that have the volume, according to Cinder. */
  async holders(): Promise<readonly string[]> {
    const [volume] = await this.storage.volumes();
    return volume?.attachments.map(({ server_id: id }) => id ?? '') ?? [];
  }

  pass(durationMs: number): Promise<void> {
    return this.storage.clock.pass(durationMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.storage[Symbol.asyncDispose]();
  }
}

test('attaches a volume to the server of its node, and detaches it', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();

  await fairway.attach('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);

  const attachment = await fairway.get('a');
  expect(attachment?.metadata.finalizers).toEqual(['external-attacher/cinder-csi-openstack-org']);
  expect(attachment?.status).toEqual({
    attached: true,
    attachmentMetadata: { DevicePath: expect.stringMatching(/^\/dev\//) },
  });
  expect(await fairway.holders()).toEqual([node?.serverID]);

  await fairway.attachments.delete('a');
  await fairway.pass(MINUTE_MS);

  expect(await fairway.get('a')).toBeUndefined();
  expect(await fairway.holders()).toEqual([]);
});

test('moves a volume from node to node, and detaches it from the old one first', async () => {
  await using fairway = await withVolume();
  const [first, second] = await fairway.nodes();
  await fairway.attach('a', first?.name ?? '');
  await fairway.pass(MINUTE_MS);
  await fairway.attach('b', second?.name ?? '');
  await fairway.pass(MINUTE_MS);
  const waiting = await fairway.get('b');

  await fairway.attachments.delete('a');
  await fairway.pass(MINUTE_MS);

  expect(waiting?.status).toMatchObject({
    attached: false,
    attachError: { message: `it is still attached to node ${first?.name}` },
  });
  expect((await fairway.get('b'))?.status).toMatchObject({ attached: true });
  expect((await fairway.get('b'))?.status?.attachError).toBeUndefined();
  expect(await fairway.holders()).toEqual([second?.serverID]);
});

test('frees a volume when its node is deleted along with its server', async () => {
  await using fairway = await withVolume();
  const [node, other] = await fairway.nodes();
  await fairway.attach('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);

  await fairway.storage.fairway.delete(machines, node?.name ?? '');
  await fairway.pass(10 * MINUTE_MS);
  await fairway.attachments.delete('a');
  await fairway.attach('b', other?.name ?? '');
  await fairway.pass(2 * MINUTE_MS);

  expect(await fairway.get('a')).toBeUndefined();
  expect(await fairway.holders()).toEqual([other?.serverID]);
});

describe('volumes that cannot be attached, and why', () => {
  test('a volume of another cluster', async () => {
    await using fairway = await withVolume();
    const { storage } = fairway;
    const [volume] = await storage.volumes();
    const { blockStorage } = storage.fairway.process.project.client;
    await storage.clock.during(
      blockStorage.volumes.mergeMetadata(volume?.id ?? '', { 'fairway.dev/cluster': 'another' }),
    );
    const csi = { driver: 'cinder.csi.openstack.org', volumeHandle: volume?.id ?? '' };
    await storage.create(aVolume({ csi }, { metadata: { name: 'stolen' } }));
    const [node] = await fairway.nodes();
    await fairway.pass(10 * MINUTE_MS);

    await fairway.attach('a', node?.name ?? '', 'stolen');
    await fairway.pass(MINUTE_MS);

    const { attached, attachError } = (await fairway.get('a'))?.status ?? {};
    expect(attached).toBe(false);
    expect(attachError?.message).toMatch(/belongs to another cluster/);
    expect(await fairway.holders()).toEqual([]);
  });

  test('a volume for a node without a machine', async () => {
    await using fairway = await withVolume();

    await fairway.attach('a', 'stranger');
    await fairway.pass(MINUTE_MS);

    expect((await fairway.get('a'))?.status?.attachError?.message).toBe('node stranger has no server of this cluster');
  });

  test('an unknown handle', async () => {
    await using fairway = await withVolume();
    const csi = { driver: 'cinder.csi.openstack.org', volumeHandle: '../servers' };
    await fairway.storage.create(aVolume({ csi }, { metadata: { name: 'odd' } }));
    const [node] = await fairway.nodes();

    await fairway.attach('a', node?.name ?? '', 'odd');
    await fairway.pass(MINUTE_MS);

    expect((await fairway.get('a'))?.status?.attachError?.message).toMatch(/does not exist in the cluster's project/);
  });
});

test('attaches a volume again if it was detached in the cloud', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();
  await fairway.attach('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);
  const { storage } = fairway;
  const [volume] = await storage.volumes();
  const { servers } = storage.fairway.process.project.client.compute;

  await storage.clock.during(servers.detachVolume(node?.serverID ?? '', volume?.id ?? ''));
  await fairway.pass(10 * MINUTE_MS);

  expect(await fairway.holders()).toEqual([node?.serverID]);
});

test('attaches a volume that Fairway did not create', async () => {
  await using fairway = await withVolume();
  const { storage } = fairway;
  const { blockStorage } = storage.fairway.process.project.client;
  const own = await storage.clock.during(blockStorage.volumes.create({ name: 'old', size: 1 }));
  const csi = { driver: 'cinder.csi.openstack.org', volumeHandle: own.id };
  await storage.create(aVolume({ csi }, { metadata: { name: 'old' } }));
  const [node] = await fairway.nodes();

  await fairway.attach('a', node?.name ?? '', 'old');
  await fairway.pass(2 * MINUTE_MS);

  expect((await fairway.get('a'))?.status).toMatchObject({ attached: true });
  await fairway.attachments.delete('a');
  await fairway.pass(2 * MINUTE_MS);
  expect(await fairway.get('a')).toBeUndefined();
  expect((await storage.clock.during(blockStorage.volumes.get(own.id))).status).toBe('available');
});

const ATTACH: Pick<FaultInput, 'service' | 'method' | 'path'> = {
  service: 'compute',
  method: 'POST',
  path: '/os-volume_attachments$',
};
const errorResponse = (status: number, more: object = {}): FaultInput => ({
  ...ATTACH,
  times: null,
  action: { kind: 'answer', status, ...more },
});

describe('a cloud that fails for an hour', () => {
  test.each<{ is: string; fault: FaultInput; expectedMessage: RegExp }>([
    { is: '500', fault: errorResponse(500), expectedMessage: /returned status 500/ },
    { is: '409', fault: errorResponse(409), expectedMessage: /compute/ },
    { is: '403', fault: errorResponse(403), expectedMessage: /role member/ },
    { is: '429', fault: errorResponse(429, { retryAfterSeconds: 30 }), expectedMessage: /is rate limiting/ },
    { is: 'no response', fault: { ...ATTACH, times: null, action: { kind: 'drop' } }, expectedMessage: /Nova/ },
  ])(
    'with $is causes a few calls a minute, reports it once, and recovers automatically',
    async ({ fault, expectedMessage }) => {
      await using fairway = await withVolume();
      const { storage } = fairway;
      const [node] = await fairway.nodes();
      const id = storage.fairway.cloud.faults.add(fault);
      await fairway.attach('a', node?.name ?? '');
      await fairway.pass(5 * MINUTE_MS);
      const before = await fairway.get('a');

      const calls = await storage.callsIn(HOUR_MS);

      const after = await fairway.get('a');
      expect(after?.status?.attachError?.message).toMatch(expectedMessage);
      expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
      expect(calls).toBeLessThan(6 * 60);
      storage.fairway.cloud.faults.remove(id);
      await fairway.pass(10 * MINUTE_MS);
      expect((await fairway.get('a'))?.status).toMatchObject({ attached: true });
      expect(await fairway.holders()).toEqual([node?.serverID]);
    },
  );
});

test('attaches a volume once, even if the response is lost', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();
  fairway.storage.fairway.cloud.faults.add({ ...ATTACH, action: { kind: 'drop', when: 'after' } });

  await fairway.attach('a', node?.name ?? '');
  await fairway.pass(5 * MINUTE_MS);

  expect((await fairway.get('a'))?.status).toEqual({
    attached: true,
    attachmentMetadata: { DevicePath: expect.any(String) },
  });
  expect(await fairway.holders()).toEqual([node?.serverID]);
});

test('keeps a PersistentVolume as long as an attachment uses it', async () => {
  await using fairway = await withVolume();
  const { storage } = fairway;
  const [node] = await fairway.nodes();
  await fairway.attach('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);
  const [volume] = await storage.persistentVolumes();

  await storage.deleteClaim();
  await storage.client.resource(PersistentVolumes).delete(volume?.metadata.name ?? '');
  await fairway.pass(5 * MINUTE_MS);
  const held = await storage.persistentVolumes();
  await fairway.attachments.delete('a');
  await fairway.pass(5 * MINUTE_MS);

  expect(held).toHaveLength(1);
  expect(await storage.persistentVolumes()).toEqual([]);
  expect(await storage.volumes()).toEqual([]);
});
