import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPORTER_KEY } from '../../metrics/fleet-metrics.ts';
import { TEAM, TestFairway } from '../../testing/test-fairway.ts';
import { TestOwner } from '../../testing/test-owner.ts';

/** The samples of one metric, without its HELP and TYPE lines. */
async function samples(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.metrics();
  const own = new RegExp(`^${name}(\\{| )`);
  return text.split('\n').filter((line) => own.test(line));
}

describe('metrics of objects', () => {
  let registry: Registry;
  let fairway: TestFairway;

  beforeEach(async () => {
    registry = new Registry();
    fairway = await TestFairway.start({ registry });
  });
  afterEach(() => fairway[Symbol.asyncDispose]());

  it('count clusters, pools and machines, and those not Ready, until they are deleted', async () => {
    await fairway.readyCluster({ replicas: 2 });
    await fairway.createPool({ clusterName: 'nowhere' }, 'orphan');
    await fairway.until(nodePools, ([pool]) => pool?.status?.phase === 'Failed', 'orphan');
    await fairway.until(machines, (all) => all.length === 2 && all.every(({ status }) => status?.phase === 'Ready'));

    expect(await samples(registry, 'fairway_clusters')).toEqual([
      expect.stringMatching(/^fairway_clusters\{phase="Ready",version="1\.\d+",plan="free"\} 1$/),
    ]);
    expect(await samples(registry, 'fairway_machines')).toEqual(['fairway_machines{phase="Ready"} 2']);
    expect((await samples(registry, 'fairway_node_pools')).sort()).toEqual([
      'fairway_node_pools{phase="Failed"} 1',
      'fairway_node_pools{phase="Ready"} 1',
    ]);
    expect(await samples(registry, 'fairway_objects_not_ready')).toEqual([
      'fairway_objects_not_ready{kind="NodePool",reason="ClusterNotFound"} 1',
    ]);
    expect(await samples(registry, 'fairway_cluster_ready')).toEqual([
      `fairway_cluster_ready{namespace="${TEAM}",cluster="demo"} 1`,
    ]);
    expect(await samples(registry, 'fairway_cluster_nodes')).toContain(
      `fairway_cluster_nodes{namespace="${TEAM}",cluster="demo",state="ready"} 2`,
    );
    expect(await samples(registry, 'fairway_cluster_certificates_first_expiry_timestamp_seconds')).toEqual([
      expect.stringMatching(/\{kind="authority"\} \d+$/),
    ]);
    const done = await samples(registry, 'fairway_operation_duration_seconds_count');
    expect(done).toContain(
      'fairway_operation_duration_seconds_count{kind="Cluster",operation="Create",result="Succeeded"} 1',
    );
    expect(done).toContain(
      'fairway_operation_duration_seconds_count{kind="Machine",operation="Create",result="Succeeded"} 2',
    );

    await fairway.client.resource(clusters).delete('demo', { namespace: TEAM });
    await fairway.until(clusters, (all) => all.length === 0);

    expect(await samples(registry, 'fairway_clusters')).toEqual([]);
    expect(await samples(registry, 'fairway_machines')).toEqual([]);
    expect(await samples(registry, 'fairway_cluster_info')).toEqual([]);
    expect(await samples(registry, 'fairway_operation_duration_seconds_count')).toContain(
      'fairway_operation_duration_seconds_count{kind="Cluster",operation="Delete",result="Succeeded"} 1',
    );
  });
});

describe('metrics with several replicas', () => {
  it('only the replica that holds one particular key reports on objects', async () => {
    const registry = new Registry();
    const owner = new TestOwner();
    await using fairway = await TestFairway.start({ registry, owner });
    owner.take(`${TEAM}/demo`, { isInherited: false });
    await fairway.readyCluster({ replicas: 1 });

    const objects = ['fairway_clusters', 'fairway_machines', 'fairway_cluster_info'];
    for (const name of objects) expect(await samples(registry, name)).toEqual([]);
    expect(await samples(registry, 'fairway_operation_duration_seconds_count')).toEqual([]);
    // Each control plane is reported by the process that manages it.
    expect(await samples(registry, 'fairway_control_planes')).not.toEqual([]);

    owner.take(REPORTER_KEY, { isInherited: false });

    for (const name of objects) expect(await samples(registry, name)).toHaveLength(1);
  });
});
