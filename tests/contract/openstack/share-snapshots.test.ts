import { expect, it } from 'vitest';
import { expectShareError, ShareCloud, type ShownResource } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

const NOT_FOUND = 'The resource could not be found.';

describeClouds('snapshots of shares', (cloud) => {
  const manila = (): ShareCloud => new ShareCloud(cloud());

  it('are taken, shown, renamed, labelled and deleted', async () => {
    const share = await manila().share({ size: 2 });
    const name = cloud().name();
    const created = await manila().call('POST', '/snapshots', { snapshot: { share_id: share.id, name } });
    const { snapshot } = created.json as { snapshot: ShownResource };
    const path = `/snapshots/${snapshot.id}`;
    manila().deferDeletion(path);

    expect([created.status, snapshot.status]).toEqual([202, 'creating']);
    expect(await manila().waitUntilSettled(path)).toEqual({
      id: snapshot.id,
      share_id: share.id,
      share_size: 2,
      created_at: expect.any(String),
      status: 'available',
      name,
      description: null,
      size: 2,
      share_proto: 'NFS',
      links: [expect.objectContaining({ rel: 'self' }), expect.objectContaining({ rel: 'bookmark' })],
      user_id: expect.any(String),
      project_id: expect.any(String),
      metadata: {},
    });
    const fieldsOf = async (version: string) =>
      Object.keys(await manila().expect('snapshot', 'GET', path, undefined, { version }));
    expect(await fieldsOf('2.72')).not.toContain('metadata');
    expect(await fieldsOf('2.16')).not.toContain('user_id');
    const renamed = await manila().call('PUT', path, { snapshot: { display_name: 'q', display_description: 'w' } });
    expect(renamed.json).toMatchObject({ snapshot: { name: 'q', description: 'w' } });
    const labelled = await manila().call('POST', `${path}/metadata`, { metadata: { a: 'b' } });
    expect(labelled.json).toEqual({ metadata: { a: 'b' } });
    expectShareError(await manila().call('GET', `${path}/metadata`, undefined, { version: '2.72' }), 404, NOT_FOUND);
    expectShareError(await manila().call('DELETE', share.path), 403, 'Invalid share: %(reason)s.');
    expectShareError(await manila().call('GET', path, undefined, { as: 'other' }), 404, NOT_FOUND);
    expect((await manila().call('DELETE', path)).status).toBe(202);
    await manila().waitUntilDeleted(path);
  });

  it('are listed by share, in pages', async () => {
    const share = await manila().share();
    const [a, b] = [await manila().snapshot(share.id), await manila().snapshot(share.id)];
    const page = await manila().call('GET', `/snapshots?share_id=${share.id}&limit=1`);
    const detail = await manila().call('GET', `/snapshots/detail?share_id=${share.id}&sort_dir=asc`);

    expect(page.json).toMatchObject({
      snapshots: [{ id: b.id }],
      share_snapshots_links: [{ rel: 'next', href: expect.stringContaining(`marker=${b.id}`) }],
    });
    expect(detail.json).toMatchObject({ snapshots: [{ id: a.id }, { id: b.id }] });
    expect((await manila().call('GET', '/snapshots?name=nope')).json).toEqual({ snapshots: [] });
    expectShareError(await manila().call('GET', '/snapshots?limit=x'), 400, 'limit param must be an integer');
  });

  it('can become shares', async () => {
    const share = await manila().share({ size: 2 });
    const { id: snapshot_id, path } = await manila().snapshot(share.id);
    const create = (fields: object) =>
      manila().call('POST', '/shares', { share: { share_proto: 'NFS', snapshot_id, ...fields } });

    expectShareError(
      await create({ size: 1 }),
      400,
      "Invalid input received: Share size '1' must be equal or greater than snapshot size.",
    );
    const restored = await manila().share({ size: null, snapshot_id });
    expect(await manila().waitUntilSettled(restored.path)).toMatchObject({ size: 2, snapshot_id });
    await manila().runAction(path, { reset_status: { status: 'error' } }, { as: 'admin' });
    expectShareError(await create({ size: 2 }), 400, "Invalid share snapshot: status must be 'available'.");
    expectShareError(
      await manila().runAction(share.path, { revert: { snapshot_id } }),
      400,
      `Share ${share.id} may not be reverted to snapshot ${snapshot_id}, because the share does not have that capability.`,
    );
    expectShareError(
      await manila().runAction(share.path, { revert: {} }),
      400,
      'Required parameter snapshot_id not found.',
    );
  });

  it('are refused if they are invalid', async () => {
    expectShareError(
      await manila().call('POST', '/snapshots', {}),
      422,
      'Unable to process the contained instructions',
    );
    expectShareError(
      await manila().call('POST', '/snapshots', { snapshot: { share_id: 'x' } }),
      404,
      'NotFound: Resource could not be found.',
    );
    expectShareError(await manila().call('GET', '/snapshots/x'), 404, NOT_FOUND);
    expectShareError(await manila().call('DELETE', '/snapshots/x'), 404, NOT_FOUND);
  });
});
