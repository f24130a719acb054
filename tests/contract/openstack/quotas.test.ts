import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { NetworkQuotaDetails } from '@fairway/openstack/types/network';
import { expect, it } from 'vitest';
import { describeClouds } from './targets.ts';

/** These tests do not lower any limit: one request asks for more than any cloud has. */
describeClouds('quotas', (cloud) => {
  it('are returned with usage', async () => {
    const { compute, network } = cloud().member;
    const [limits, quota, details] = [await compute.limits(), await compute.quotaSet(), await network.quotaDetails()];

    expect(limits.maxTotalCores).toBe(quota.cores);
    expect(limits.maxTotalInstances).toBe(quota.instances);
    expect(limits.maxTotalRAMSize).toBe(quota.ram);
    const { id } = await network.networks.create({ name: cloud().name() });
    cloud().defer(() => network.networks.delete(id));
    expect((await network.quotaDetails()).network.used).toBeGreaterThan(0);
    expect(details.port.limit).toBeGreaterThanOrEqual(-1);
  });

  it('include the usage of volumes, in total and by existing types', async ({ skip }) => {
    const { blockStorage, session } = cloud().member;
    const hasVolumes = await session.endpoint('block-storage').then(
      () => true,
      () => false,
    );
    skip(!hasVolumes, 'the cloud has no Cinder');

    const [limits, types] = [await blockStorage.limits(), await blockStorage.volumeTypes()];

    expect(limits.maxTotalVolumes).toBeGreaterThanOrEqual(-1);
    expect(limits.maxTotalVolumeGigabytes).toBeGreaterThanOrEqual(limits.totalGigabytesUsed);
    expect(limits.totalVolumesUsed).toBeGreaterThanOrEqual(0);
    expect(types.length).toBeGreaterThan(0);
  });

  it('are hidden from other projects', async () => {
    const { other } = cloud();
    if (other === undefined) return;
    const projectId = await other.session.projectId();

    expect((await cloud().raw('compute', 'GET', `/os-quota-sets/${projectId}`)).json).toEqual({
      forbidden: { code: 403, message: "Policy doesn't allow os_compute_api:os-quota-sets:show to be performed." },
    });
    expect((await cloud().raw('network', 'GET', `/quotas/${projectId}/details.json`)).json).toMatchObject({
      NeutronError: { type: 'AdminRequired' },
    });
  });

  it('refuse additional servers with 403, without creating any', async () => {
    const { compute } = cloud().member;
    const { maxTotalInstances } = await compute.limits();
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];
    const name = cloud().name();
    const server = { name, flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };

    const failure = await compute.servers
      .create({ ...server, min_count: maxTotalInstances + 1 })
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(OpenStackError);
    expect(failure).toMatchObject({ kind: 'quotaExceeded', status: 403, outcome: 'notDone', retryable: false });
    // Other tests create servers concurrently.
    const detail = `^Quota exceeded for .*instances.*: Requested ${maxTotalInstances + 1}, .*used \\d+.* of ${maxTotalInstances}`;
    expect(failure).toMatchObject({ detail: expect.stringMatching(new RegExp(detail)) });
    expect(await Array.fromAsync(compute.servers.list({ name: `^${name}` }))).toEqual([]);
  });

  it.each<{ resource: string; quota: keyof NetworkQuotaDetails; plural: string }>([
    { resource: 'network', quota: 'network', plural: 'networks' },
    { resource: 'security_group', quota: 'security_group', plural: 'security_groups' },
  ])('refuse additional $plural with 409 OverQuota, without creating any', async ({ resource, quota, plural }) => {
    const limit = (await cloud().member.network.quotaDetails())[quota]?.limit ?? -1;
    expect(limit).toBeGreaterThan(0);
    const name = cloud().name();
    const path = `/${plural.replace('_', '-')}`;

    const response = await cloud().raw('network', 'POST', path, {
      body: { [plural]: Array.from({ length: limit + 1 }, () => ({ name })) },
    });

    expect(response.status).toBe(409);
    expect(response.json).toEqual({
      NeutronError: { type: 'OverQuota', message: `Quota exceeded for resources: ['${resource}'].`, detail: '' },
    });
    expect((await cloud().raw('network', 'GET', `${path}?name=${name}`)).json).toEqual({ [plural]: [] });
  });
});
