import { ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { holdings } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

interface Conditioned extends KubeObject {
  status?: { conditions?: readonly Condition[] | undefined };
}

const PAUSE = { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } };
const RESUME = { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } };

function saysPaused({ status }: Conditioned): boolean {
  return isConditionTrue(status?.conditions, ConditionType.Paused);
}

function untilAllSay<T extends Conditioned>(
  fairway: TestFairway,
  type: ResourceType<T>,
  paused: boolean,
): Promise<unknown> {
  return fairway.until(type, (all) => all.length > 0 && all.every((each) => saysPaused(each) === paused));
}

async function pausedCluster(): Promise<TestFairway> {
  const fairway = await TestFairway.start();
  await fairway.readyCluster({ replicas: 2 });
  await fairway.patch(clusters, 'demo', PAUSE);
  const kinds: readonly ResourceType<Cluster | NodePool | Machine>[] = [clusters, nodePools, machines];
  for (const type of kinds) await untilAllSay(fairway, type, true);
  return fairway;
}

/** A cluster that is made now is Ready: what was to be done before has been done. */
async function neighbour(fairway: TestFairway): Promise<void> {
  await fairway.createCluster({}, 'neighbour');
  await fairway.clusterReady('neighbour');
}

describe('a paused cluster', { timeout: 30_000 }, () => {
  test('keeps the state that it said before', async () => {
    await using fairway = await pausedCluster();

    const [cluster] = await fairway.until(clusters, ([found]) => found);

    expect(isReady(cluster)).toBe(true);
    expect(cluster?.status).toMatchObject({ phase: 'Ready', readySummary: '2/2' });
  });

  test('is left alone with its pools and machines, and catches up when it is resumed', async () => {
    await using fairway = await pausedCluster();
    const [victim] = await fairway.machines();

    await fairway.patch(nodePools, 'general', { spec: { replicas: 4 } });
    await fairway.delete(machines, victim?.metadata.name ?? '');
    await neighbour(fairway);
    const meanwhile = await fairway.machines();
    await fairway.patch(clusters, 'demo', RESUME);
    await fairway.until(machines, (all) => all.length === 4 && all.every(isReady));

    expect(meanwhile.map(({ metadata }) => metadata.name)).toContain(victim?.metadata.name);
    expect(meanwhile).toHaveLength(2);
    expect(holdings(fairway.cloud)).toMatchObject({ servers: 4 });
    expect((await fairway.machines()).some(saysPaused)).toBe(false);
  });

  test('is not deleted before it is resumed', async () => {
    await using fairway = await pausedCluster();

    await fairway.delete(clusters, 'demo');
    await neighbour(fairway);
    const meanwhile = holdings(fairway.cloud);
    await fairway.patch(clusters, 'demo', RESUME);
    await fairway.until(clusters, (all) => !all.some(({ metadata }) => metadata.name === 'demo'));

    expect(meanwhile).toMatchObject({ servers: 2 });
    expect(holdings(fairway.cloud)).toMatchObject({ servers: 0 });
  });

  test('is left alone by a process that starts meanwhile', async () => {
    await using fairway = await pausedCluster();
    await fairway.stopProcess();
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });

    await fairway.startProcess();
    await neighbour(fairway);
    const meanwhile = await fairway.machines();
    await fairway.patch(clusters, 'demo', RESUME);
    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));

    expect(meanwhile).toHaveLength(2);
  });
});

test('a paused pool leaves its cluster and the other pools to Fairway', { timeout: 30_000 }, async () => {
  await using fairway = await TestFairway.start();
  await fairway.readyCluster({ replicas: 1 });
  await fairway.createPool({ replicas: 1 }, 'other');
  await fairway.poolReady('other');
  await fairway.patch(nodePools, 'general', PAUSE);
  await fairway.until(nodePools, ([pool]) => pool && saysPaused(pool), 'general');

  await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
  await fairway.patch(nodePools, 'other', { spec: { replicas: 2 } });
  await fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 2, 'other');
  const meanwhile = await fairway.machines();
  await fairway.patch(nodePools, 'general', RESUME);
  await fairway.until(machines, (all) => all.length === 4);

  expect(meanwhile).toHaveLength(3);
});
