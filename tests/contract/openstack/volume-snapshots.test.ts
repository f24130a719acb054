import { expect, it } from 'vitest';
import { describeClouds } from './targets.ts';

const METADATA = { 'fairway.dev/managed-by': 'fairway', 'fairway.dev/cluster': 'some', 'fairway.dev/object': 'one' };

/** The way Fairway creates, finds, tags and deletes snapshots. */
describeClouds('tagged snapshots', (cloud) => {
  it('are created with tags, are found by these tags, and accept more tags', async () => {
    const { volumes, snapshots } = cloud().member.blockStorage;
    const isNotFound = async (find: () => Promise<unknown>) =>
      find().then(
        () => undefined,
        ({ kind }) => (kind === 'notFound' ? true : undefined),
      );
    const volume = await volumes.create({ name: 'marked', size: 1 });
    cloud().defer(async () => {
      await volumes.delete(volume.id);
      await cloud().waitUntil('the volume is gone', () => isNotFound(() => volumes.get(volume.id)));
    });
    await cloud().waitUntil(
      'the volume is made',
      async () => (await volumes.get(volume.id)).status === 'available' || undefined,
    );

    const created = await snapshots.create({ volume_id: volume.id, name: 'marked', metadata: METADATA });
    await cloud().waitUntil(
      'it is made',
      async () => (await snapshots.get(created.id)).status === 'available' || undefined,
    );
    const found = await Array.fromAsync(snapshots.list({ metadata: METADATA }));
    const others = await Array.fromAsync(snapshots.list({ metadata: { ...METADATA, 'fairway.dev/object': 'other' } }));
    const merged = await snapshots.mergeMetadata(created.id, { 'fairway.dev/reclaim-policy': 'Delete' });
    const refused = await volumes.delete(volume.id).catch(({ kind }) => kind);
    await snapshots.delete(created.id);
    await cloud().waitUntil('it is gone', () => isNotFound(() => snapshots.get(created.id)));

    expect(created.metadata).toEqual(METADATA);
    expect(found.map(({ id }) => id)).toEqual([created.id]);
    expect(others).toEqual([]);
    expect(merged).toEqual({ ...METADATA, 'fairway.dev/reclaim-policy': 'Delete' });
    expect(refused).toBe('badRequest');
  });
});
