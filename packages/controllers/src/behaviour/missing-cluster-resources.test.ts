import { CREDENTIAL_ANNOTATION, RETRY_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { GarbageCollector } from '@fairway/apiserver/lifecycle/garbage-collector';
import { Events, Leases, Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { serverGroupName } from '@fairway/tenancy/cloud/ownership';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../testing/cloud-contents.ts';
import { caSecretOf, forceDelete, forceDeleteAll } from '../testing/force-delete.ts';
import { copyTags, createForeignClient } from '../testing/foreign-client.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

const OPTIONS = { missingGraceMs: 20_000 };

/** Everything that Fairway creates in a cloud for a cluster with all features, as named in the simulator's tables. */
const CLOUD_RESOURCE_KINDS: Readonly<Record<string, string>> = {
  servers: "of machines; their boot volumes are Nova's and go with them",
  volumes: 'of those machines',
  volume_attachments: 'of those volumes, by Nova',
  server_groups: 'of pools with antiAffinity',
  ports: 'of servers by Nova, and of the router',
  floating_ips: 'of machines with floatingIPs',
  networks: 'of the cluster',
  subnets: 'of the cluster',
  routers: 'of the cluster, with its interface in the subnet',
  security_groups: 'of the nodes',
  security_group_rules: 'of that group',
};

/** What Fairway creates in Kubernetes. */
const KUBERNETES_KINDS = ['clusters', 'nodepools', 'machines', 'secrets'];

/** CloudProfiles belong to namespaces, with or without clusters; usage records outlive their cluster, for billing. */
const UNRELATED_KINDS: ReadonlySet<string> = new Set([cloudProfiles.plural, usageRecords.plural]);

/** The number of objects in Fairway's own API, for each kind that belongs to clusters. */
async function objectsOf(fairway: TestFairway): Promise<Record<string, number>> {
  const types: readonly ResourceType[] = [
    ...KINDS.filter(({ plural }) => !UNRELATED_KINDS.has(plural)),
    Secrets,
    Leases,
  ];
  const counts = types.map(async (type) => {
    const { items } = await fairway.client.resource<KubeObject>(type).list();
    return [type.plural, items.length];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/**
 * A cloud's contents before Fairway creates anything: Neutron creates a project's default security group on the first
 * request for one.
 */
async function cloudContents({ cloud, process }: TestFairway): Promise<Record<string, number>> {
  await Array.fromAsync(process.project.client.network.securityGroups.list());
  return rowsOf(cloud);
}

/** The kinds whose counts have grown. */
function grownKinds(before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): string[] {
  return Object.keys(now).filter((name) => (now[name] ?? 0) > (before[name] ?? 0));
}

async function createFullCluster(fairway: TestFairway): Promise<Cluster> {
  await fairway.createCluster({ network: { gateway: { mode: 'Router' } } });
  await fairway.createPool({ replicas: 1, rootVolume: { sizeGiB: 40 } }, 'volumes');
  await fairway.createPool({ replicas: 2, antiAffinity: true, floatingIPs: { enabled: true } });
  await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
  return fairway.clusterReady();
}

describe('a cluster with all features', () => {
  test('uses only resources listed in the tables', async () => {
    await using fairway = await TestFairway.start(OPTIONS);
    const before = { cloud: await cloudContents(fairway), objects: await objectsOf(fairway) };

    await createFullCluster(fairway);

    expect(grownKinds(before.cloud, rowsOf(fairway.cloud)).sort()).toEqual(Object.keys(CLOUD_RESOURCE_KINDS).sort());
    expect(grownKinds(before.objects, await objectsOf(fairway)).sort()).toEqual([...KUBERNETES_KINDS].sort());
  });

  test.each([
    { reason: 'finalizers were removed from Cluster, pools and machines', forceDeleteOne: forceDeleteAll },
    {
      reason: 'finalizers were removed from the Cluster, and garbage collection deletes the rest',
      forceDeleteOne: forceDelete,
    },
  ])('leaves nothing behind if $reason', async ({ forceDeleteOne }) => {
    await using fairway = await TestFairway.start(OPTIONS);
    const { clock, client } = fairway;
    const before = { cloud: await cloudContents(fairway), objects: await objectsOf(fairway) };
    const cluster = await createFullCluster(fairway);
    const stop = new AbortController();
    const collector = new GarbageCollector({ client, clock });
    collector.start(stop.signal);

    await forceDeleteOne(fairway, cluster);
    const { client: secrets, selection } = caSecretOf(fairway, cluster);
    await eventually(secrets, selection, (left) => left.length === 0);
    await fairway.until(nodePools, (left) => left.length === 0);
    await fairway.until(machines, (left) => left.length === 0);
    stop.abort();
    await collector.stopped;

    expect(grownKinds(before.cloud, rowsOf(fairway.cloud))).toEqual([]);
    expect(grownKinds(before.objects, await objectsOf(fairway))).toEqual([]);
    expect(await fairway.runtime.list()).toEqual([]);
  });
});

describe('a missing cluster in an existing network', () => {
  test('loses its own ports, while the network remains, along with the ports of others', async () => {
    await using fairway = await TestFairway.start(OPTIONS);
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    const subnet = { name: 'theirs', network_id: networkID, ip_version: 4, cidr: '10.77.0.0/24' } as const;
    const { id: subnetID } = await network.subnets.create(subnet);
    const foreignPort = await network.ports.create({ network_id: networkID, name: 'theirs' });
    const portsOf = async () =>
      (await Array.fromAsync(network.ports.list({ network_id: networkID }))).map(({ id }) => id);
    const cluster = await fairway.readyCluster(
      { replicas: 2 },
      { network: { networkID, subnetID, gateway: { mode: 'None' } } },
    );
    const during = await portsOf();

    await forceDeleteAll(fairway, cluster);
    const { client: secrets, selection } = caSecretOf(fairway, cluster);
    await eventually(secrets, selection, (left) => left.length === 0);

    expect(during).toHaveLength(3);
    expect(await portsOf()).toEqual([foreignPort.id]);
    expect(await network.subnets.get(subnetID)).toMatchObject({ network_id: networkID });
  });
});

describe('tags of a missing cluster', () => {
  test('prove no ownership in another project, and neither do names in the cluster’s own project', async () => {
    await using fairway = await TestFairway.start(OPTIONS);
    const { client } = fairway.process.project;
    const projectID = await client.session.projectId();
    const before = await cloudContents(fairway);
    const cluster = await createFullCluster(fairway);
    const { uid = '' } = cluster.metadata;
    await client.network.networks.create({ name: 'fairway-demo' });
    await client.compute.serverGroups.create({ name: `fairway-pool-${uid}`, policy: 'anti-affinity' });
    await createForeignClient(fairway, async (foreignClient) => {
      await copyTags({ cloud: fairway.cloud, projectID }, foreignClient, uid);
      const name = serverGroupName({ clusterUid: uid, poolUid: uid });
      await foreignClient.compute.serverGroups.create({ name, policy: 'anti-affinity' });
    });

    await forceDeleteAll(fairway, cluster);
    const { client: secrets, selection } = caSecretOf(fairway, cluster);
    await eventually(secrets, selection, (left) => left.length === 0);

    const left = rowsOf(fairway.cloud);
    const added = Object.entries(left).map(([table, rows]) => [table, rows - (before[table] ?? 0)]);
    expect(Object.fromEntries(added.filter(([, rows]) => rows !== 0))).toMatchObject({
      networks: 2,
      subnets: 1,
      // Another project's security group, and the project's default one.
      security_groups: 2,
      server_groups: 2,
    });
  });
});

/** The metrics of missing clusters, without zeros. */
async function metricsOf(registry: Registry): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('fairway_vanished') && !line.endsWith(' 0'));
}

describe('an operator', () => {
  test('is notified that a cluster is missing, and of what was deleted', async () => {
    const registry = new Registry();
    await using fairway = await TestFairway.start({ ...OPTIONS, registry });
    const cluster = await createFullCluster(fairway);
    const reportedMessage = async (message: string) => {
      const isReported = (events: readonly { message?: string }[]) => events.some((event) => event.message === message);
      await eventually(fairway.client.resource(Events), {}, isReported);
    };

    await forceDeleteAll(fairway, cluster);
    await reportedMessage(
      "the Cluster was removed without Fairway's finalizer; its remaining resources will be deleted in 20 s unless the Cluster is recreated",
    );
    expect(await metricsOf(registry)).toEqual(['fairway_vanished_clusters{state="waiting"} 1']);

    await reportedMessage(
      "the Cluster was removed without Fairway's finalizer; its remaining resources were deleted: control plane, 3 servers, 1 server groups, 2 floating IPs, 1 routers, 1 networks, 1 subnets, 1 security groups, 1 volumes, CA certificates",
    );
    expect(await metricsOf(registry)).toEqual([
      'fairway_vanished_clusters_ended_total 1',
      'fairway_vanished_resources_found_total{kind="servers"} 3',
      'fairway_vanished_resources_found_total{kind="server groups"} 1',
      'fairway_vanished_resources_found_total{kind="floating IPs"} 2',
      'fairway_vanished_resources_found_total{kind="routers"} 1',
      'fairway_vanished_resources_found_total{kind="networks"} 1',
      'fairway_vanished_resources_found_total{kind="subnets"} 1',
      'fairway_vanished_resources_found_total{kind="security groups"} 1',
      'fairway_vanished_resources_found_total{kind="volumes"} 1',
    ]);
  });

  test('is notified if the CloudCredential is also missing, and no record is dropped until it returns', async () => {
    const registry = new Registry();
    await using fairway = await TestFairway.start({ ...OPTIONS, registry });
    await fairway.createCluster();
    const cluster = await fairway.clusterReady();
    const { client, selection } = caSecretOf(fairway, cluster);
    const name = (await client.list(selection)).items[0]?.metadata.name ?? '';
    const note = (credential: string) => ({ metadata: { annotations: { [CREDENTIAL_ANNOTATION]: credential } } });
    await client.patch(name, { type: 'merge', value: note('gone') }, { namespace: SYSTEM_NAMESPACE });

    await forceDelete(fairway, cluster);
    await eventually(fairway.client.resource(Events), {}, (events) =>
      events.some((event) =>
        /CloudCredential gone no longer exists; recreate it in namespace team/.test(event.message ?? ''),
      ),
    );
    expect((await client.list(selection)).items).toHaveLength(1);
    expect(await metricsOf(registry)).toEqual(['fairway_vanished_clusters{state="ending"} 1']);

    const value = { metadata: { annotations: { ...note('').metadata.annotations, [RETRY_ANNOTATION]: 'now' } } };
    await client.patch(name, { type: 'merge', value }, { namespace: SYSTEM_NAMESPACE });
    await eventually(client, selection, (left) => left.length === 0);
  });
});
