import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { ShareCloud } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

const manila = (cloud: ContractCloud) => cloud.member.sharedFileSystem;

describeClouds("Fairway's Manila client", (cloud) => {
  it('creates shares, finds them by their metadata, even across pages, and deletes them', async () => {
    const { shares } = manila(cloud());
    const metadata = { 'fairway.dev/contract': cloud().name() };
    const created: string[] = [];
    for (const n of ['1', '2', '3']) {
      const { id } = await shares.create({ share_proto: 'NFS', size: 1, name: n, metadata: { ...metadata, n } });
      new ShareCloud(cloud()).deferDeletion(`/shares/${id}`);
      created.push(id);
    }
    for (const id of created) await waitUntil(cloud(), id, ({ status }) => status === 'available');

    const found = await Array.fromAsync(shares.list({ metadata }));
    const pagedShares = await Array.fromAsync(shares.list({ metadata }, { pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(created);
    expect(pagedShares).toEqual(found);
    expect(await Array.fromAsync(shares.list({ metadata: { ...metadata, n: '2' } }))).toMatchObject([
      { id: created[1] },
    ]);
    const [first = ''] = created;
    expect(await shares.mergeMetadata(first, { more: 'x' })).toEqual({ ...metadata, n: '1', more: 'x' });
    expect((await shares.exportLocations(first)).map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^[^ :]+:\/.+$/),
    );
    await shares.delete(first);
    await cloud().waitUntil(`share ${first} is gone`, async () => {
      const remaining = await Array.fromAsync(shares.list({ metadata }));
      return remaining.some(({ id }) => id === first) ? undefined : true;
    });
  });

  it('grows a share, and reports whether shares have snapshots', async () => {
    const { shares } = manila(cloud());
    const { id } = await new ShareCloud(cloud()).share();

    await shares.extend(id, 2);
    await waitUntil(cloud(), id, ({ status, size }) => status === 'available' && size === 2);
    await new ShareCloud(cloud()).snapshot(id);

    await expect(shares.delete(id)).rejects.toMatchObject({ kind: 'conflict', outcome: 'notDone' });
  });

  it('allows addresses and revokes access', async () => {
    const { accessRules, shares } = manila(cloud());
    const { id } = await new ShareCloud(cloud()).share();
    const metadata = { owner: 'contract' };

    const rule = await accessRules.allow(id, { ip: '10.9.8.7', level: 'ro', metadata });
    await cloud().waitUntil('the rule is active', async () => {
      const [listed] = await accessRules.list(id);
      return listed?.state === 'active' ? true : undefined;
    });
    expect(await accessRules.list(id)).toEqual([
      {
        id: rule.id,
        access_type: 'ip',
        access_to: expect.stringMatching(/^10\.9\.8\.7(\/32)?$/),
        access_level: 'ro',
        state: 'active',
        metadata,
      },
    ]);
    await waitUntil(cloud(), id, ({ access_rules_status: status }) => status === 'active');
    await expect(accessRules.allow(id, { ip: '10.9.8.7', level: 'rw' })).rejects.toMatchObject({ kind: 'badRequest' });
    await accessRules.deny(id, rule.id);
    await cloud().waitUntil('the rule is gone', async () =>
      (await accessRules.list(id)).length === 0 ? true : undefined,
    );
    expect((await shares.get(id)).status).toBe('available');
  });

  it('reports the available types, and failures', async () => {
    const { shares } = manila(cloud());

    expect((await manila(cloud()).shareTypes()).map(({ name }) => name)).toContain('default');
    expect((await manila(cloud()).availabilityZones()).length).toBeGreaterThan(0);
    expect(await manila(cloud()).messages(NO_SUCH_ID)).toEqual([]);
    const tooLarge = shares.create({ share_proto: 'NFS', size: 1_000_000 });
    await expect(tooLarge).rejects.toMatchObject({ kind: 'quotaExceeded', outcome: 'notDone' });
    const unknown = await shares.get(NO_SUCH_ID).catch((error: unknown) => error);
    expect(isOpenStackError(unknown, 'notFound')).toBe(true);
  });
});

type Share = Awaited<ReturnType<ContractCloud['member']['sharedFileSystem']['shares']['get']>>;

function waitUntil(cloud: ContractCloud, id: string, predicate: (share: Share) => boolean): Promise<Share> {
  return cloud.waitUntil(`share ${id}`, async () => {
    const share = await cloud.member.sharedFileSystem.shares.get(id);
    return predicate(share) ? share : undefined;
  });
}
