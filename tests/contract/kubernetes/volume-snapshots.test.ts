import { volumeSnapshots } from '@fairway/addons/volume-snapshots/objects';
import {
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import type { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const namespace = 'default';

describeServers('volume snapshot kinds', (server, { minor }) => {
  // Fairway has no add-ons for earlier releases.
  const hasAddons = minor >= 31;
  const snapshots = () => server().client.resource(VolumeSnapshots);
  const contents = () => server().client.resource(VolumeSnapshotContents);

  beforeAll(async () => {
    if (!hasAddons) return;
    const { client } = server();
    for (const { type, object } of volumeSnapshots().objects) {
      await client.resource(type).apply(object, { fieldManager: 'test', force: true });
    }
    for (const type of [VolumeSnapshots, VolumeSnapshotContents, VolumeSnapshotClasses]) {
      // The kind is served shortly after it is established.
      await eventually(client.resource<KubeObject>(type), {}, () => true);
    }
  });

  const refusal = (request: Promise<unknown>): Promise<ApiError | undefined> =>
    request.then(
      () => undefined,
      (error) => error,
    );

  it
    .runIf(hasAddons)
    .each([
      { source: { persistentVolumeClaimName: 'data' } },
      { source: { volumeSnapshotContentName: 'kept' }, volumeSnapshotClassName: 'fast' },
    ])('accept a VolumeSnapshot with $source, and keep the source immutable', async (spec) => {
    const created = await snapshots().create({ metadata: { generateName: 'good-', namespace }, spec });
    const { name = '' } = created.metadata;
    const change = (value: object) => snapshots().patch(name, { type: 'merge', value }, { namespace });

    expect(created.spec).toEqual(spec);
    const [field = ''] = Object.keys(spec.source);
    expect((await refusal(change({ spec: { source: { [field]: 'other' } } })))?.reason).toBe('Invalid');
    expect((await refusal(change({ spec: { source: { [field]: null } } })))?.reason).toBe('Invalid');
    await snapshots().delete(name, { namespace });
  });

  it.runIf(hasAddons).each([
    { reason: 'no source', spec: { source: {} } },
    { reason: 'two sources', spec: { source: { persistentVolumeClaimName: 'a', volumeSnapshotContentName: 'b' } } },
    { reason: 'an empty class', spec: { source: { persistentVolumeClaimName: 'a' }, volumeSnapshotClassName: '' } },
  ])('refuse a VolumeSnapshot with $reason', async ({ spec }) => {
    const created = snapshots().create({ metadata: { generateName: 'bad-', namespace }, spec });

    expect(await refusal(created)).toMatchObject({ reason: 'Invalid' });
  });

  const ref = { name: 'some', namespace };
  const good = {
    deletionPolicy: 'Delete',
    driver: 'some',
    source: { volumeHandle: 'one' },
    volumeSnapshotRef: ref,
  } as const;

  it.runIf(hasAddons)('accept a VolumeSnapshotContent, which can be bound later', async () => {
    const created = await contents().create({
      metadata: { name: 'good' },
      spec: { ...good, sourceVolumeMode: 'Block' },
    });
    const bound = await contents().patch('good', {
      type: 'merge',
      value: { spec: { volumeSnapshotRef: { ...ref, uid: 'some' }, deletionPolicy: 'Retain' } },
    });
    const status = {
      snapshotHandle: 'some',
      // More than a double can represent; whole seconds fit.
      creationTime: 1_795_632_123_000_000_000,
      readyToUse: true,
      restoreSize: 5 * 2 ** 30,
    };
    const ready = await contents().patch('good', { type: 'merge', value: { status } }, { subresource: 'status' });

    expect(created.spec.volumeSnapshotRef).toEqual(ref);
    expect(bound.spec).toMatchObject({ volumeSnapshotRef: { uid: 'some' }, deletionPolicy: 'Retain' });
    expect(ready.status).toEqual(status);
    const block = contents().patch('good', { type: 'merge', value: { spec: { sourceVolumeMode: 'Filesystem' } } });
    expect(await refusal(block)).toMatchObject({ reason: 'Invalid' });
    await contents().delete('good');
  });

  it.runIf(hasAddons).each([
    { reason: 'both handles', spec: { ...good, source: { volumeHandle: 'one', snapshotHandle: 'two' } } },
    { reason: 'no handle', spec: { ...good, source: {} } },
    { reason: 'a nameless snapshot', spec: { ...good, volumeSnapshotRef: { namespace } } },
    { reason: 'a policy that does not exist', spec: { ...good, deletionPolicy: 'Recycle' } },
  ])('refuse a VolumeSnapshotContent with $reason', async ({ spec }) => {
    const created = contents().create({ metadata: { generateName: 'bad-' }, spec } as unknown as VolumeSnapshotContent);

    expect(await refusal(created)).toMatchObject({ reason: 'Invalid' });
  });

  it.runIf(hasAddons)('accept a VolumeSnapshotClass as shipped by drivers', async () => {
    const classes = server().client.resource(VolumeSnapshotClasses);
    const fields = {
      driver: 'cinder.csi.openstack.org',
      deletionPolicy: 'Delete',
      parameters: { 'force-create': 'true' },
    } as const;

    const created = await classes.create({ metadata: { name: 'some' }, ...fields });

    expect(created).toMatchObject(fields);
    await classes.delete('some');
  });
});
