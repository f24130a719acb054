import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TEAM, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { DEFAULT_SETTLE_MS } from '@fairway/tenancy/cloud/project-cloud';
import { NODES_PER_CLUSTER } from './share.ts';

const SETTLE_MS = 120_000;
const MEASURE_MS = 3_600_000;
/** Interval at which `fairway up` lists servers. */
const LIST_INTERVAL_MS = 300_000;

/** API writes, cloud calls and objects of one cluster with ten nodes. */
export interface ClusterCost {
  readonly cluster: Cluster;
  readonly pool: NodePool;
  readonly machines: readonly Machine[];
  /** Writes to Fairway's API that changed something, from creation until all nodes were Ready. */
  readonly writesToCreate: number;
  readonly idleWritesPerHour: number;
  /** Calls in the project, which has only this cluster. */
  readonly idleOpenStackCallsPerHour: number;
}

export async function measureCluster(): Promise<ClusterCost> {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({
    clock,
    random: seededRandom(1),
    settleMs: DEFAULT_SETTLE_MS,
    idleMs: LIST_INTERVAL_MS,
  });
  const revision = async () => {
    const list = await fairway.client.resource(clusters).list({ namespace: TEAM });
    return Number(list.metadata.resourceVersion);
  };
  const before = await clock.during(revision());
  await clock.during(fairway.readyCluster({ replicas: NODES_PER_CLUSTER }));
  await clock.pass(SETTLE_MS);
  const createdRevision = await clock.during(revision());
  fairway.cloud.calls.reset();
  await clock.pass(MEASURE_MS);
  const idleRevision = await clock.during(revision());
  const hours = MEASURE_MS / 3_600_000;
  const [cluster, pool] = await clock.during(
    Promise.all([
      fairway.client.resource(clusters).get('demo', { namespace: TEAM }),
      fairway.client.resource(nodePools).get('general', { namespace: TEAM }),
    ]),
  );
  return {
    cluster,
    pool,
    machines: (await clock.during(fairway.client.resource(machines).list({ namespace: TEAM }))).items,
    writesToCreate: createdRevision - before,
    idleWritesPerHour: (idleRevision - createdRevision) / hours,
    idleOpenStackCallsPerHour: fairway.cloud.calls.total / hours,
  };
}
