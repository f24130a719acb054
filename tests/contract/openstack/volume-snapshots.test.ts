import { expect, it } from 'vitest';
import { describeClouds } from './targets.ts';

const MARKS = { 'fairway.dev/managed-by': 'fairway', 'fairway.dev/cluster': 'some', 'fairway.dev/object': 'one' };

/** Snapshots as Fairway creates, finds, tags and deletes them. */
describeClouds('marked snapshots', (cloud) => {
  it('carry their tags from creation, are found by them, and accept more', async () => {
    const { volumes, snapshots } = cloud().member.blockStorage;
    const gone = async (find: () => Promise<unknown>) =>
      find().then(
        () => undefined,
        ({ kind }) => (kind === 'notFound' ? true : undefined),
      );
    const volume = await volumes.create({ name: 'marked', size: 1 });
    cloud().defer(async () => {
      await volumes.delete(volume.id);
      await cloud().until('the volume is gone', () => gone(() => volumes.get(volume.id)));
    });
    await cloud().until(
      'the volume is made',
      async () => (await volumes.get(volume.id)).status === 'available' || undefined,
    );

    const made = await snapshots.create({ volume_id: volume.id, name: 'marked', metadata: MARKS });
    await cloud().until('it is made', async () => (await snapshots.get(made.id)).status === 'available' || undefined);
    const found = await Array.fromAsync(snapshots.list({ metadata: MARKS }));
    const others = await Array.fromAsync(snapshots.list({ metadata: { ...MARKS, 'fairway.dev/object': 'other' } }));
    const merged = await snapshots.mergeMetadata(made.id, { 'fairway.dev/reclaim-policy': 'Delete' });
    const refused = await volumes.delete(volume.id).catch(({ kind }) => kind);
    await snapshots.delete(made.id);
    await cloud().until('it is gone', () => gone(() => snapshots.get(made.id)));

    expect(made.metadata).toEqual(MARKS);
    expect(found.map(({ id }) => id)).toEqual([made.id]);
    expect(others).toEqual([]);
    expect(merged).toEqual({ ...MARKS, 'fairway.dev/reclaim-policy': 'Delete' });
    expect(refused).toBe('badRequest');
  });
});
