import type { CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { silentLogger } from '@fairway/base/log';
import { serviceTags, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CloudResourceLister, cloudResourceLister } from '../../cloud-resources/lister.ts';
import { TestFairway } from '../../testing/test-fairway.ts';

describe('the cloud resources of a cluster', () => {
  let fairway: TestFairway;
  let cluster: Cluster;
  let list: CloudResourceLister;
  beforeAll(async () => {
    fairway = await TestFairway.start();
    cluster = await fairway.readyCluster({ replicas: 1 });
    const { controllers, project } = fairway.process;
    list = cloudResourceLister({
      cache: controllers.cache,
      projects: { forNamespace: () => project, forgetCredential() {} },
      clock: fairway.clock,
      log: silentLogger,
    });
    const { loadBalancing, blockStorage } = project.client;
    const clusterUid = cluster.metadata.uid ?? '';
    const subnet = cluster.status?.network?.subnetID ?? '';
    const partTags = serviceTags({ clusterUid, serviceUid: 'web-uid' });
    const listener = {
      tags: partTags,
      protocol: 'TCP',
      protocol_port: 80,
      default_pool: {
        name: 'pool',
        tags: partTags,
        protocol: 'TCP',
        lb_algorithm: 'ROUND_ROBIN',
        members: [{ address: '10.0.0.4', protocol_port: 30_080 }],
      },
    };
    const balancer = (uid: string, description: string) => ({
      name: description,
      description,
      vip_subnet_id: subnet,
      tags: serviceTags({ clusterUid: uid, serviceUid: 'web-uid' }),
      listeners: [listener],
    });
    const words = 'Kubernetes external service shop/web from cluster demo';
    await loadBalancing.loadBalancers.createTree(balancer(clusterUid, words));
    // Another cluster's resource, which resembles this cluster's in everything but its identifiers.
    await loadBalancing.loadBalancers.createTree(balancer('other', words));
    const claim = { 'csi.storage.k8s.io/pvc/name': 'data', 'csi.storage.k8s.io/pvc/namespace': 'shop' };
    for (const uid of [clusterUid, 'other']) {
      const metadata = { ...storageMetadata({ clusterUid: uid, object: 'pvc-data-uid' }), ...claim };
      await blockStorage.volumes.create({ name: 'pvc-data-uid', size: 7, metadata });
    }
  });
  afterEach(() => fairway.cloud.faults.clear());
  afterAll(() => fairway[Symbol.asyncDispose]());

  const until = (isReached: (status: CloudResourcesStatus) => boolean) =>
    fairway.pollUntil(async () => isReached(await list(cluster)));

  it('are found only by their tags, with purpose and state', async () => {
    await until(({ loadBalancers }) => loadBalancers[0]?.provisioningStatus === 'ACTIVE');
    await until(({ volumes }) => volumes[0]?.status === 'available');
    const { loadBalancers, volumes, unknown } = await list(cluster);

    expect(loadBalancers).toEqual([
      expect.objectContaining({
        owner: { kind: 'Service', namespace: 'shop', name: 'web', uid: 'web-uid' },
        address: expect.stringMatching(/^\d+\./),
        isShared: false,
        listeners: [expect.objectContaining({ protocol: 'TCP', port: 80, members: 1 })],
        createdAt: expect.stringMatching(/Z$/),
      }),
    ]);
    expect(volumes).toEqual([
      expect.objectContaining({
        owner: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'data-uid' },
        sizeGiB: 7,
        machines: [],
      }),
    ]);
    expect(unknown).toBeUndefined();
  });

  it('include the machines that a volume is attached to', async () => {
    const { compute } = fairway.process.project.client;
    const [machine] = await fairway.machines();
    const [volume] = (await list(cluster)).volumes;
    await compute.servers.attachVolume(machine?.status?.serverID ?? '', volume?.id ?? '');

    await until(({ volumes }) => volumes[0]?.status === 'in-use');

    expect((await list(cluster)).volumes).toMatchObject([{ machines: [machine?.metadata.name] }]);
  });

  it('cause the same number of cloud calls regardless of the number of readers', async () => {
    const lists = () =>
      fairway.cloud.calls
        .counts()
        .filter(({ method, service }) => method === 'GET' && service === 'load-balancer')
        .reduce((sum, { count }) => sum + count, 0);
    const before = lists();
    const fromMs = fairway.clock.now();
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 50 }, () => list(cluster)));
    const windows = Math.ceil((fairway.clock.now() - fromMs) / 15_000) + 1;

    // Three kinds, one page each.
    expect(before).toBeGreaterThan(0);
    expect(lists() - before).toBeLessThanOrEqual(3 * windows);
  });

  it('are returned in their last known state if the cloud is unavailable, with a note about what is unknown', async () => {
    fairway.cloud.faults.add({ service: 'load-balancer', times: null, action: { kind: 'answer', status: 500 } });
    await until(({ unknown }) => unknown !== undefined);
    const { loadBalancers, unknown } = await list(cluster);

    expect(unknown).toEqual([{ kind: 'LoadBalancers', message: expect.stringContaining('Octavia') }]);
    expect(loadBalancers).toHaveLength(1);
  });

  it('are empty if the cluster no longer has a cloud', async () => {
    const none = cloudResourceLister({
      cache: fairway.process.controllers.cache,
      projects: { forNamespace: () => undefined, forgetCredential() {} },
      clock: fairway.clock,
      log: silentLogger,
    });

    expect(await none(cluster)).toMatchObject({ loadBalancers: [], volumes: [] });
  });
});
