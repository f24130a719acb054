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
const NEITHER = { metadata: {}, spec: {} };

/** A cluster of two nodes with a claim that has its volume. */
async function withVolume(): Promise<AttachingFairway> {
  const storage = await StorageFairway.start({}, { random: seededRandom(54) });
  await storage.fairway.createPool({ replicas: 2 }, 'more');
  await storage.clock.during(
    storage.fairway.until(machines, (all) => all.length === 3 && all.every(({ status }) => status?.phase === 'Ready')),
  );
  await storage.create(aClaim());
  await storage.clock.pass(MINUTE_MS);
  return new AttachingFairway(storage);
}

class AttachingFairway implements AsyncDisposable {
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

  /** As kube-controller-manager does when a pod with the claim is bound to a node. */
  async ask(name: string, nodeName: string, volume?: string): Promise<void> {
    const [known] = await this.storage.persistentVolumes();
    const source = { persistentVolumeName: volume ?? known?.metadata.name ?? '' };
    const spec = { attacher: 'cinder.csi.openstack.org', nodeName, source };
    await this.attachments.create({ ...NEITHER, metadata: { name }, spec });
  }

  async get(name: string): Promise<VolumeAttachment | undefined> {
    const { items } = await this.attachments.list();
    return items.find(({ metadata }) => metadata.name === name);
  }

  /** Servers that Cinder says have the volume. */
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

test('a volume is attached to the server of its node, and detached', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();

  await fairway.ask('a', node?.name ?? '');
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

test('a volume moves from node to node, and is detached from the old one first', async () => {
  await using fairway = await withVolume();
  const [first, second] = await fairway.nodes();
  await fairway.ask('a', first?.name ?? '');
  await fairway.pass(MINUTE_MS);
  await fairway.ask('b', second?.name ?? '');
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

test('a volume is free when its node was deleted with its server', async () => {
  await using fairway = await withVolume();
  const [node, other] = await fairway.nodes();
  await fairway.ask('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);

  await fairway.storage.fairway.delete(machines, node?.name ?? '');
  await fairway.pass(10 * MINUTE_MS);
  await fairway.attachments.delete('a');
  await fairway.ask('b', other?.name ?? '');
  await fairway.pass(2 * MINUTE_MS);

  expect(await fairway.get('a')).toBeUndefined();
  expect(await fairway.holders()).toEqual([other?.serverID]);
});

describe('what is not attached, and why', () => {
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

    await fairway.ask('a', node?.name ?? '', 'stolen');
    await fairway.pass(MINUTE_MS);

    const { attached, attachError } = (await fairway.get('a'))?.status ?? {};
    expect(attached).toBe(false);
    expect(attachError?.message).toMatch(/belongs to another cluster/);
    expect(await fairway.holders()).toEqual([]);
  });

  test('one for a node without a machine', async () => {
    await using fairway = await withVolume();

    await fairway.ask('a', 'stranger');
    await fairway.pass(MINUTE_MS);

    expect((await fairway.get('a'))?.status?.attachError?.message).toBe('node stranger has no server of this cluster');
  });

  test('an unknown handle', async () => {
    await using fairway = await withVolume();
    const csi = { driver: 'cinder.csi.openstack.org', volumeHandle: '../servers' };
    await fairway.storage.create(aVolume({ csi }, { metadata: { name: 'odd' } }));
    const [node] = await fairway.nodes();

    await fairway.ask('a', node?.name ?? '', 'odd');
    await fairway.pass(MINUTE_MS);

    expect((await fairway.get('a'))?.status?.attachError?.message).toMatch(/does not exist in the cluster's project/);
  });
});

test('what is detached in the cloud is attached again', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();
  await fairway.ask('a', node?.name ?? '');
  await fairway.pass(MINUTE_MS);
  const { storage } = fairway;
  const [volume] = await storage.volumes();
  const { servers } = storage.fairway.process.project.client.compute;

  await storage.clock.during(servers.detachVolume(node?.serverID ?? '', volume?.id ?? ''));
  await fairway.pass(10 * MINUTE_MS);

  expect(await fairway.holders()).toEqual([node?.serverID]);
});

test('a volume that Fairway did not create is attached too', async () => {
  await using fairway = await withVolume();
  const { storage } = fairway;
  const { blockStorage } = storage.fairway.process.project.client;
  const own = await storage.clock.during(blockStorage.volumes.create({ name: 'old', size: 1 }));
  const csi = { driver: 'cinder.csi.openstack.org', volumeHandle: own.id };
  await storage.create(aVolume({ csi }, { metadata: { name: 'old' } }));
  const [node] = await fairway.nodes();

  await fairway.ask('a', node?.name ?? '', 'old');
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
const answer = (status: number, more: object = {}): FaultInput => ({
  ...ATTACH,
  times: null,
  action: { kind: 'answer', status, ...more },
});

describe('a cloud that fails for an hour', () => {
  test.each<{ is: string; fault: FaultInput; told: RegExp }>([
    { is: '500', fault: answer(500), told: /returned status 500/ },
    { is: '409', fault: answer(409), told: /compute/ },
    { is: '403', fault: answer(403), told: /role member/ },
    { is: '429', fault: answer(429, { retryAfterSeconds: 30 }), told: /is rate limiting/ },
    { is: 'no answer', fault: { ...ATTACH, times: null, action: { kind: 'drop' } }, told: /Nova/ },
  ])('with $is costs a few calls a minute, reports it once, and ends by itself', async ({ fault, told }) => {
    await using fairway = await withVolume();
    const { storage } = fairway;
    const [node] = await fairway.nodes();
    const id = storage.fairway.cloud.faults.add(fault);
    await fairway.ask('a', node?.name ?? '');
    await fairway.pass(5 * MINUTE_MS);
    const before = await fairway.get('a');

    const calls = await storage.callsIn(HOUR_MS);

    const after = await fairway.get('a');
    expect(after?.status?.attachError?.message).toMatch(told);
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    expect(calls).toBeLessThan(6 * 60);
    storage.fairway.cloud.faults.remove(id);
    await fairway.pass(10 * MINUTE_MS);
    expect((await fairway.get('a'))?.status).toMatchObject({ attached: true });
    expect(await fairway.holders()).toEqual([node?.serverID]);
  });
});

test('a cloud that attaches without a response attaches once', async () => {
  await using fairway = await withVolume();
  const [node] = await fairway.nodes();
  fairway.storage.fairway.cloud.faults.add({ ...ATTACH, action: { kind: 'drop', when: 'after' } });

  await fairway.ask('a', node?.name ?? '');
  await fairway.pass(5 * MINUTE_MS);

  expect((await fairway.get('a'))?.status).toEqual({
    attached: true,
    attachmentMetadata: { DevicePath: expect.any(String) },
  });
  expect(await fairway.holders()).toEqual([node?.serverID]);
});

test('a PersistentVolume is kept until nothing is attached through it', async () => {
  await using fairway = await withVolume();
  const { storage } = fairway;
  const [node] = await fairway.nodes();
  await fairway.ask('a', node?.name ?? '');
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
