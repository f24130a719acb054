import { ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { aCluster } from '@fairway/api/testing/objects';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, isSame, TEAM, TestFairway } from '../testing/test-fairway.ts';

interface ConditionedObject extends KubeObject {
  status?: { conditions?: readonly Condition[] | undefined };
}

const PAUSE_PATCH = { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } };
const RESUME_PATCH = { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } };

function reportsPaused({ status }: ConditionedObject): boolean {
  return isConditionTrue(status?.conditions, ConditionType.Paused);
}

function untilAllReport<T extends ConditionedObject>(
  fairway: TestFairway,
  type: ResourceType<T>,
  paused: boolean,
): Promise<unknown> {
  return fairway.until(type, (all) => all.length > 0 && all.every((each) => reportsPaused(each) === paused));
}

async function pausedCluster(): Promise<TestFairway> {
  const fairway = await TestFairway.start();
  await fairway.readyCluster({ replicas: 2 });
  await fairway.patch(clusters, 'demo', PAUSE_PATCH);
  const kinds: readonly ResourceType<Cluster | NodePool | Machine>[] = [clusters, nodePools, machines];
  for (const type of kinds) await untilAllReport(fairway, type, true);
  return fairway;
}

/** Creates another cluster and waits until it is Ready: by then, all previously pending work is done. */
async function neighbour(fairway: TestFairway): Promise<void> {
  await fairway.createCluster({}, 'neighbour');
  await fairway.clusterReady('neighbour');
}

describe('a paused cluster', () => {
  test('keeps its previous status', async () => {
    await using fairway = await pausedCluster();

    const [cluster] = await fairway.until(clusters, ([found]) => found !== undefined);

    expect(isReady(cluster)).toBe(true);
    expect(cluster?.status).toMatchObject({ phase: 'Ready', readySummary: '2/2' });
  });

  test('is not changed, nor are its pools and machines, and catches up when it is resumed', async () => {
    await using fairway = await pausedCluster();
    const [victim] = await fairway.machines();

    await fairway.patch(nodePools, 'general', { spec: { replicas: 4 } });
    await fairway.delete(machines, victim?.metadata.name ?? '');
    await neighbour(fairway);
    const whilePaused = await fairway.machines();
    await fairway.patch(clusters, 'demo', RESUME_PATCH);
    await fairway.until(machines, (all) => all.length === 4 && all.every(isReady));

    expect(whilePaused.map(({ metadata }) => metadata.name)).toContain(victim?.metadata.name);
    expect(whilePaused).toHaveLength(2);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 4 });
    expect((await fairway.machines()).some(reportsPaused)).toBe(false);
  });

  test('is not deleted until it is resumed', async () => {
    await using fairway = await pausedCluster();

    await fairway.delete(clusters, 'demo');
    await neighbour(fairway);
    const whilePaused = resourceCounts(fairway.cloud);
    await fairway.patch(clusters, 'demo', RESUME_PATCH);
    await fairway.until(clusters, (all) => !all.some(({ metadata }) => metadata.name === 'demo'));

    expect(whilePaused).toMatchObject({ servers: 2 });
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0 });
  });

  test('is not changed by a process that starts in the meantime', async () => {
    await using fairway = await pausedCluster();
    await fairway.stopProcess();
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });

    await fairway.startProcess();
    await neighbour(fairway);
    const whilePaused = await fairway.machines();
    await fairway.patch(clusters, 'demo', RESUME_PATCH);
    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));

    expect(whilePaused).toHaveLength(2);
  });
});

describe('a restored cluster', () => {
  const ORIGIN = '123e4567-e89b-42d3-a456-426614174000';
  const status = { originUID: ORIGIN, endpoint: { host: '127.0.0.1', port: 6443 } };

  async function restoredCluster(): Promise<TestFairway> {
    const fairway = await TestFairway.start();
    await fairway.create(clusters, aCluster({}, { name: 'demo', namespace: TEAM, ...PAUSE_PATCH.metadata }));
    const options = { namespace: TEAM, subresource: 'status' };
    await fairway.client.resource(clusters).patch('demo', { type: 'merge', value: { status } }, options);
    return fairway;
  }

  test('is not given an empty control plane instead of its previous one', async () => {
    await using fairway = await restoredCluster();

    await fairway.patch(clusters, 'demo', RESUME_PATCH);
    await fairway.untilReported(clusters, 'ControlPlaneFailed', /its control-plane database is missing/);

    expect(fairway.runtime.requestedSpecs).toEqual([]);
  });

  test('continues with its previous control plane, and tags new resources with its original identity', async () => {
    await using fairway = await restoredCluster();
    await fairway.runtime.adopt(ORIGIN);

    await fairway.patch(clusters, 'demo', RESUME_PATCH);
    await fairway.createPool({ replicas: 1 });
    const cluster = await fairway.clusterReady();

    expect(cluster.metadata.uid).not.toBe(ORIGIN);
    const servers = await Array.fromAsync(fairway.process.project.client.compute.servers.list());
    expect(servers.map(({ tags }) => tags)).toEqual([expect.arrayContaining([`fairway-cluster-${ORIGIN}`])]);
  });
});

test('resources of a cluster are not looked up in another project', async () => {
  await using fairway = await TestFairway.start();
  const { status } = await fairway.readyCluster({ replicas: 1 });
  const [machine] = await fairway.machines();
  const before = resourceCounts(fairway.cloud);
  const findProject = (projectID: string | undefined) => {
    const options = { namespace: TEAM, subresource: 'status' };
    return fairway.client
      .resource(clusters)
      .patch('demo', { type: 'merge', value: { status: { projectID } } }, options);
  };

  // As after a restore into an installation whose clouds.yaml contains a different cloud with the same name: the server
  // cannot be found.
  await findProject('elsewhere');
  await fairway.process.project.client.compute.servers.delete(machine?.status?.serverID ?? '');
  fairway.process.project.cache.servers.invalidate();
  await fairway.until(machines, ([found]) => {
    const serverReady = findCondition(found?.status?.conditions, ConditionType.ServerReady);
    return serverReady?.status === 'Unknown' && serverReady.message.includes('is in project elsewhere');
  });
  await fairway.untilReported(clusters, 'ConfigurationInvalid', /is in project elsewhere/);
  const whilePaused = await fairway.machines();
  const during = resourceCounts(fairway.cloud);
  await findProject(status?.projectID);
  await fairway.until(machines, (all) => all.length === 1 && all.every(isReady) && !all.some(isSame(machine)));

  expect(whilePaused).toMatchObject([
    { metadata: { uid: machine?.metadata.uid }, status: { serverID: machine?.status?.serverID } },
  ]);
  // The cloud takes a while to delete the server with its port.
  const deletedCounts = { servers: expect.any(Number) as number, ports: expect.any(Number) as number };
  expect(during).toEqual({ ...before, ...deletedCounts });
});

test('a paused pool does not affect its cluster or other pools', async () => {
  await using fairway = await TestFairway.start();
  await fairway.readyCluster({ replicas: 1 });
  await fairway.createPool({ replicas: 1 }, 'other');
  await fairway.poolReady('other');
  await fairway.patch(nodePools, 'general', PAUSE_PATCH);
  await fairway.until(nodePools, ([pool]) => pool !== undefined && reportsPaused(pool), 'general');

  await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
  await fairway.patch(nodePools, 'other', { spec: { replicas: 2 } });
  await fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 2, 'other');
  const whilePaused = await fairway.machines();
  await fairway.patch(nodePools, 'general', RESUME_PATCH);
  await fairway.until(machines, (all) => all.length === 4);

  expect(whilePaused).toHaveLength(3);
});
