import { minorOf } from '@fairway/api/domain/version-numbers';
import { clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { findCondition } from '@fairway/kube/controller/conditions';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

/** Admission does not run here: as on a management cluster without a gateway, or if the plan changes later. */
describe('a plan that is not Ready', () => {
  const broken = { etcd: { maxMiB: 1 } };

  test('prevents a new cluster from creating anything until the plan is fixed', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);
    await change(fairway, broken);
    await fairway.createCluster();

    await fairway.untilReported(
      clusters,
      'PlanNotReady',
      /plan "free" is not Ready and accepts no clusters: spec.etcd.maxMiB/,
    );
    expect(resourceCounts(fairway.cloud)).toEqual(before);
    expect(fairway.runtime.requestedSpecs).toEqual([]);

    await change(fairway, { etcd: { maxMiB: 400 } });
    await fairway.clusterReady();
  });

  test('does not affect its existing clusters, and their pools can grow', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });

    await change(fairway, broken);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });

    const [cluster] = await fairway.until(clusters, ([each]) => isReady(each) && each?.status?.nodes?.ready === 2);
    expect(cluster?.status?.nodes).toMatchObject({ desired: 2, ready: 2 });
  });
});

test('a cluster that moves to another plan is subject to the new limits, and keeps its creation-time settings', async () => {
  await using fairway = await TestFairway.start();
  const { metadata, status } = await fairway.readyCluster({ replicas: 1 }, { plan: 'free' });
  const servers = await fairway.machines();

  await fairway.patch(clusters, 'demo', { spec: { plan: 'standard' } });

  await fairway.until(clusters, ([each]) => isReady(each) && each?.status?.observedGeneration === 2, 'demo');
  const [before, after] = [fairway.runtime.requestedSpecs[0], fairway.runtime.requestedSpecs.at(-1)];
  expect(after).toMatchObject({ topology: { memoryMiB: 8192 }, cluster: { uid: metadata.uid } });
  expect(after?.etcdQuotaBytes).toBeGreaterThan(before?.etcdQuotaBytes ?? 0);
  expect(after?.podCIDR).toBe(before?.podCIDR);
  const [moved] = await fairway.until(clusters, () => true, 'demo');
  const { cni, kubeProxyMode, podCIDR, network } = moved?.status ?? {};
  expect({ cni, kubeProxyMode, podCIDR, network }).toEqual({
    cni: status?.cni,
    kubeProxyMode: status?.kubeProxyMode,
    podCIDR: status?.podCIDR,
    network: status?.network,
  });
  expect((await fairway.machines()).map(({ metadata: { uid } }) => uid)).toEqual(
    servers.map((each) => each.metadata.uid),
  );
});

describe('a plan', () => {
  test.each([
    {
      what: 'a region',
      allowed: { regions: ['Elsewhere'] },
      says: /^spec.region: RegionOne: plan "free" allows the regions "Elsewhere"/,
    },
    {
      what: 'a network',
      allowed: { networks: ['shared-*'] },
      says: /^spec.network.networkID: .* allows the networks "shared-\*"/,
    },
  ])('blocks a cluster with $what that the plan does not allow', async ({ allowed, says }) => {
    await using fairway = await TestFairway.start();
    const { id } = await fairway.process.project.client.network.networks.create({ name: 'theirs' });
    await change(fairway, { allowed });
    await fairway.createCluster({ network: { networkID: id, gateway: { mode: 'None' } } });

    await fairway.untilReported(clusters, 'PlanLimitExceeded', says);
    expect(fairway.runtime.requestedSpecs).toEqual([]);
  });

  test('also accepts a network by name', async () => {
    await using fairway = await TestFairway.start();
    const { network } = fairway.process.project.client;
    const { id } = await network.networks.create({ name: 'shared-1' });
    await network.subnets.create({ name: 'nodes', network_id: id, ip_version: 4, cidr: '10.77.0.0/24' });
    await change(fairway, { allowed: { networks: ['shared-*'] } });

    await fairway.createCluster({ network: { networkID: id, gateway: { mode: 'None' } } });

    expect((await fairway.clusterReady()).status?.network?.networkID).toBe(id);
  });

  test.each([
    {
      what: 'flavor',
      allowed: { flavors: ['c3-*'] },
      says: /^spec.flavor: b3-8: plan "free" allows the flavors "c3-\*"/,
    },
    {
      what: 'image',
      allowed: { images: ['Windows *'] },
      says: /^spec.image: Ubuntu 24.04: plan "free" allows the images/,
    },
  ])('creates no more nodes with a removed $what, and keeps existing nodes', async ({ allowed, says }) => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2, image: 'Ubuntu 24.04' });

    await change(fairway, { allowed });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    const [pool] = await fairway.until(nodePools, ([each]) => reasonOf(each) === 'PlanLimitExceeded');
    expect(findCondition(pool?.status?.conditions, 'Ready')?.message).toMatch(says);
    expect(await fairway.machines()).toHaveLength(2);

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await fairway.until(nodePools, ([each]) => each?.status?.replicas === 1 && each.status.readyReplicas === 1);
  });

  test.each<{ what: string; pool: Partial<NewNodePool['spec']>; before?: object; plan: object; says: RegExp }>([
    {
      what: 'hard anti-affinity',
      pool: { antiAffinity: true },
      plan: { allowed: { antiAffinityPolicies: ['Soft'] } },
      says: /^spec\.antiAffinity: plan "free" only allows antiAffinity with antiAffinityPolicy Soft/,
    },
    {
      what: 'more tags than it allows',
      pool: { serverTags: ['a', 'b'] },
      plan: { nodePools: { maxServerTags: 1 } },
      says: /^spec\.serverTags: plan "free" allows at most 1, but there are 2: remove some/,
    },
    {
      what: 'more security groups than it allows',
      pool: { securityGroups: ['default'] },
      plan: { nodePools: { maxSecurityGroups: 0 } },
      says: /^spec\.securityGroups: plan "free" allows none: remove them/,
    },
    {
      what: 'settings of kubelet',
      pool: { kubelet: { podPidsLimit: 4096 } },
      plan: { allowed: { kubeletSettings: ['maxPods'] } },
      says: /^spec\.kubelet: plan "free" allows the kubelet settings maxPods: remove podPidsLimit/,
    },
    {
      what: 'unsafe sysctls',
      pool: { kubelet: { allowedUnsafeSysctls: ['net.core.somaxconn'] } },
      before: { allowed: { unsafeSysctls: ['net.*'] } },
      plan: { allowed: { unsafeSysctls: ['kernel.shm*'] } },
      says: /^spec\.kubelet: plan "free" allows the allowedUnsafeSysctls kernel\.shm\*: remove net\.core\.somaxconn/,
    },
    {
      what: 'metadata',
      pool: { serverMetadata: { team: 'web' } },
      plan: { nodePools: { maxServerMetadata: 0 } },
      says: /^spec\.serverMetadata: plan "free" allows none: remove them/,
    },
  ])('creates no nodes of a pool with $what beyond its limits', async ({ pool: spec, before = {}, plan, says }) => {
    await using fairway = await TestFairway.start();
    await change(fairway, before);
    await fairway.readyCluster({ replicas: 1, ...spec });

    await change(fairway, plan);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    const [pool] = await fairway.until(nodePools, ([each]) => reasonOf(each) === 'PlanLimitExceeded');

    expect(findCondition(pool?.status?.conditions, 'Ready')?.message).toMatch(says);
    expect(await fairway.machines()).toHaveLength(1);
  });

  test.each<{ what: string; cluster: Partial<NewCluster['spec']>; allowed: object; says: RegExp }>([
    {
      what: 'mirrors of registries',
      cluster: { registryMirrors: [{ registry: 'docker.io', mirrors: [{ url: 'https://m.example.com' }] }] },
      allowed: { registryMirrors: false },
      says: /^spec\.registryMirrors: plan "free" does not allow it: remove it/,
    },
    {
      what: 'a proxy',
      cluster: { proxy: { httpProxy: 'http://p.example.com:3128' } },
      allowed: { proxy: false },
      says: /^spec\.proxy: plan "free" does not allow it: remove it/,
    },
  ])('creates no nodes of a cluster with $what beyond its limits', async ({ cluster, allowed, says }) => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 }, cluster);

    await change(fairway, { allowed });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    const [pool] = await fairway.until(nodePools, ([each]) => reasonOf(each) === 'PlanLimitExceeded');

    expect(findCondition(pool?.status?.conditions, 'Ready')?.message).toMatch(says);
    expect(await fairway.machines()).toHaveLength(1);
  });

  test('determines the image if none is specified', async () => {
    await using fairway = await TestFairway.start();
    await change(fairway, { allowed: { images: ['Debian*'] } });
    await fairway.readyCluster({ replicas: 1 });
    const images = await Array.fromAsync(fairway.process.project.client.images.list());
    const [machine] = await fairway.machines();

    expect(images.find(({ id }) => id === machine?.spec.image)?.name).toMatch(/^Debian/);
  });
});

function reasonOf(object: Parameters<typeof isReady>[0]): string | undefined {
  return findCondition(object?.status?.conditions, 'Ready')?.reason;
}

function change(fairway: TestFairway, spec: object) {
  return fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec } });
}

describe('the versions of a plan', () => {
  const kubernetes = { newest: '1.35' };

  test('a new cluster gets the newest of them, and no later one that it requests', async () => {
    await using fairway = await TestFairway.start();
    await change(fairway, { kubernetes, limitNotes: [{ limit: 'kubernetes', reason: 'not certified yet' }] });
    await fairway.createCluster();
    const { status } = await fairway.clusterReady();
    await fairway.createCluster({ version: '1.36' }, 'later');

    expect(minorOf(status?.version ?? '')).toBe('1.35');
    await fairway.untilReported(
      clusters,
      'VersionNotOffered',
      /1\.36.* is newer than 1\.35, the newest version of plan "free"\. Not certified yet/,
    );
  });

  test('an existing cluster keeps a later version, and is offered no newer one', async () => {
    await using fairway = await TestFairway.start();
    const { status } = await fairway.readyCluster({ replicas: 1 }, { version: '1.35' });
    await change(fairway, { kubernetes: { newest: '1.34' } });

    const [cluster] = await fairway.until(clusters, ([each]) => each?.status?.nextUpgradeVersions?.length === 0);
    expect(status?.nextUpgradeVersions).toEqual(['1.36']);
    expect(cluster?.status?.version).toBe(status?.version);
    expect(isReady(cluster)).toBe(true);
  });
});
