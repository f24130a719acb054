import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { ShareCloud } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

const manila = (cloud: ContractCloud) => cloud.member.sharedFileSystem;

describeClouds("Fairway's client of Manila", (cloud) => {
  it('creates shares, finds them by their metadata, also in pages, and deletes them', async () => {
    const { shares } = manila(cloud());
    const metadata = { 'fairway.dev/contract': cloud().name() };
    const made: string[] = [];
    for (const n of ['1', '2', '3']) {
      const { id } = await shares.create({ share_proto: 'NFS', size: 1, name: n, metadata: { ...metadata, n } });
      new ShareCloud(cloud()).deferDeletion(`/shares/${id}`);
      made.push(id);
    }
    for (const id of made) await until(cloud(), id, ({ status }) => status === 'available');

    const found = await Array.fromAsync(shares.list({ metadata }));
    const paged = await Array.fromAsync(shares.list({ metadata }, { pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(made);
    expect(paged).toEqual(found);
    expect(await Array.fromAsync(shares.list({ metadata: { ...metadata, n: '2' } }))).toMatchObject([{ id: made[1] }]);
    const [first = ''] = made;
    expect(await shares.mergeMetadata(first, { more: 'x' })).toEqual({ ...metadata, n: '1', more: 'x' });
    expect((await shares.exportLocations(first)).map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^[^ :]+:\/.+$/),
    );
    await shares.delete(first);
    await cloud().until(`share ${first} is gone`, async () => {
      const left = await Array.fromAsync(shares.list({ metadata }));
      return left.some(({ id }) => id === first) ? undefined : true;
    });
  });

  it('grows a share, and reports which has snapshots', async () => {
    const { shares } = manila(cloud());
    const { id } = await new ShareCloud(cloud()).share();

    await shares.extend(id, 2);
    await until(cloud(), id, ({ status, size }) => status === 'available' && size === 2);
    await new ShareCloud(cloud()).snapshot(id);

    await expect(shares.delete(id)).rejects.toMatchObject({ kind: 'conflict', outcome: 'notDone' });
  });

  it('allows addresses and revokes access', async () => {
    const { accessRules, shares } = manila(cloud());
    const { id } = await new ShareCloud(cloud()).share();
    const metadata = { owner: 'contract' };

    const rule = await accessRules.allow(id, { ip: '10.9.8.7', level: 'ro', metadata });
    await cloud().until('the rule is active', async () => {
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
    await until(cloud(), id, ({ access_rules_status: status }) => status === 'active');
    await expect(accessRules.allow(id, { ip: '10.9.8.7', level: 'rw' })).rejects.toMatchObject({ kind: 'badRequest' });
    await accessRules.deny(id, rule.id);
    await cloud().until('the rule is gone', async () => ((await accessRules.list(id)).length === 0 ? true : undefined));
    expect((await shares.get(id)).status).toBe('available');
  });

  it('reports the choices, and failures', async () => {
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

function until(cloud: ContractCloud, id: string, isThere: (share: Share) => boolean): Promise<Share> {
  return cloud.until(`share ${id}`, async () => {
    const share = await cloud.member.sharedFileSystem.shares.get(id);
    return isThere(share) ? share : undefined;
  });
}
