import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { isReady } from '@fairway/controllers/testing/test-fairway';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { findCondition } from '@fairway/kube/controller/conditions';
import { eventually } from '@fairway/kube/testing/eventually';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import type { Replica } from './replicas/replica.ts';
import { type ReplicatedFairway, startReplicatedFairway } from './replicas/replicated-fairway.ts';
import { cloudContent } from './session/cloud-content.ts';
import { PROJECT } from './session/running-fairway.ts';
import { type Checkout, checkOut, earlierRelease } from './upgrade/earlier-release.ts';
import { RunningFairwayUp } from './upgrade/running-fairway-up.ts';

const CURRENT_PROGRAM = join(PROJECT, 'packages/cli/src/main.ts');
const RELEASE = '0.1.0';
const release = earlierRelease(RELEASE);
const LONG_WAIT = { deadlineMs: 400_000 };
const RUNNING = ['demo', 'spread'];
const where = { namespace: 'default' };

/** The simulated control plane never accepted this cluster's tokens, but 0.1.0 did not report that. */
function reportsUnenforcedSettings({ metadata, status }: Cluster): boolean {
  return metadata.name === 'spread' && findCondition(status?.conditions, 'Ready')?.reason === 'SettingsNotEnforced';
}

/** Scales a pool, and waits until the current Fairway has done so and reports all clusters as Ready. */
async function scaled(client: KubeClient, pool: string, replicas: number): Promise<readonly Machine[]> {
  await client.resource(nodePools).patch(pool, { type: 'merge', value: { spec: { replicas } } }, where);
  await eventually(
    client.resource(nodePools),
    { ...where, fieldSelector: `metadata.name=${pool}` },
    ([found]) =>
      found !== undefined &&
      isReady(found) &&
      found.status?.observedGeneration === found.metadata.generation &&
      found.status?.readyReplicas === replicas &&
      found.status?.replicas === replicas,
    LONG_WAIT,
  );
  const isHealthy = (found: Cluster) =>
    !RUNNING.includes(found.metadata.name ?? '') || isReady(found) || reportsUnenforcedSettings(found);
  await eventually(client.resource(clusters), where, (all) => all.length === 5 && all.every(isHealthy), LONG_WAIT);
  return eventually(client.resource(machines), where, (all) => all.every(isReady), LONG_WAIT);
}

/** The identities of machines across the upgrade. */
function identitiesOf(all: readonly Machine[]): readonly string[] {
  return all.map(({ metadata, status }) => `${metadata.name} ${metadata.uid} ${status?.serverID}`).sort();
}

/** Each case continues from the previous one. */
describe(`fairway up with a home from ${RELEASE}`, () => {
  const before = identitiesOf(release.objects.filter(({ kind }) => kind === 'Machine') as Machine[]);
  let folder: string;
  let home: string;
  let networks: readonly string[] | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-upgrade-'));
    home = release.unpackHome(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('finds its clusters unchanged, manages them, and creates and deletes only the requested servers', async () => {
    await using fairway = await RunningFairwayUp.start(CURRENT_PROGRAM, home);

    const now = identitiesOf(await scaled(fairway.client, 'general', 3));

    expect(now).toEqual(expect.arrayContaining([...before]));
    expect(now).toHaveLength(before.length + 1);
    const content = await cloudContent(join(home, 'clouds.yaml'));
    expect(content['servers']).toHaveLength(now.length);
    networks = content['networks'];
  });

  const skipReason = release.hasSource ? '' : ` (skipped: the source of ${RELEASE} is not in the history here)`;
  test.skipIf(!release.hasSource)(
    `gives the clusters back to ${RELEASE}, which manages them too${skipReason}`,
    async () => {
      using previousCheckout = checkOut(RELEASE);
      await using fairway = await RunningFairwayUp.start(previousCheckout.entry, home);

      const now = identitiesOf(await scaled(fairway.client, 'web', 3));

      expect(now).toEqual(expect.arrayContaining([...before]));
      expect(now).toHaveLength(before.length + 2);
      const content = await cloudContent(join(home, 'clouds.yaml'));
      expect(content['servers']).toHaveLength(now.length);
      expect(content['networks']).toEqual(networks);
    },
  );

  test('takes the clusters over again, and deletes one', async () => {
    await using fairway = await RunningFairwayUp.start(CURRENT_PROGRAM, home);
    await scaled(fairway.client, 'web', 2);

    await fairway.client.resource(clusters).delete('demo', where);

    await eventually(fairway.client.resource(clusters), where, (all) => all.length === 4, LONG_WAIT);
    const remaining = await fairway.client.resource(machines).list(where);
    expect(remaining.items.map(({ spec }) => spec.clusterName)).toEqual(['spread', 'spread']);
  });
});

const [binaries] = findBinaries().filter(({ version }) => Number(version.split('.')[1]) >= MIN_CEL_MINOR);
const sharedSkipReason =
  binaries === undefined
    ? ` (skipped: no Kubernetes binaries of 1.${MIN_CEL_MINOR} or later are found)`
    : release.hasSource
      ? ''
      : ` (skipped: the source of ${RELEASE} is not in the history here)`;

/** Each case continues from the previous one. */
describe.skipIf(sharedSkipReason !== '')(
  `fairway serve from ${RELEASE}, on a management cluster${sharedSkipReason}`,
  () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    let previousCheckout: Checkout;
    let fairway: ReplicatedFairway;
    let old: Replica;
    let newReplica: Replica;
    let planes: ReadonlyMap<string, string>;

    beforeAll(async () => {
      if (binaries === undefined) return;
      previousCheckout = checkOut(RELEASE);
      fairway = await startReplicatedFairway(binaries, { installed: release.installed });
      old = await fairway.addReplica(previousCheckout.entry);
      for (const name of names) await fairway.createCluster(name);
      await fairway.waitUntilReady(names, 1);
      planes = await fairway.controlPlanePids();
    });
    afterAll(async () => {
      await fairway?.[Symbol.asyncDispose]();
      previousCheckout?.[Symbol.dispose]();
    });

    test('upgrades its kinds in place while it runs', async () => {
      await fairway.install();
      await fairway.scale(names.slice(0, 3), 2);
      await fairway.waitUntilReady(names.slice(0, 3), 2);
      await fairway.waitUntilReady(names.slice(3), 1);

      expect(fairway.duplicates()).toEqual([]);
      expect(await fairway.controlPlanePids()).toEqual(planes);
    });

    test('shares the clusters with a replica from this release', async () => {
      newReplica = await fairway.addReplica();
      await fairway.scale(names, 2);
      await fairway.waitUntilReady(names, 2);

      const holders = new Set(fairway.shards.holders(names.map((name) => `default/${name}`)).values());
      expect([old.identity, newReplica.identity]).toEqual(expect.arrayContaining([...holders]));
      expect(fairway.unownedCalls()).toEqual([]);
      expect(fairway.duplicates()).toEqual([]);
    });

    test('hands all clusters over to the replica from this release, which restarts control planes once to apply new settings', async () => {
      await old.stop();
      fairway.forget(old);
      await fairway.scale(names, 3);
      await fairway.waitUntilReady(names, 3);
      const taken = await fairway.controlPlanePids();
      await fairway.scale(names, 2);
      await fairway.waitUntilReady(names, 2);

      expect([...taken.keys()].sort()).toEqual([...planes.keys()].sort());
      expect(await fairway.controlPlanePids()).toEqual(taken);
      expect(fairway.unownedCalls()).toEqual([]);
      expect(fairway.duplicates()).toEqual([]);
    });

    test('takes the clusters back, and neither release leaves anything behind', async () => {
      await fairway.addReplica(previousCheckout.entry);
      await newReplica.stop();
      fairway.forget(newReplica);
      await fairway.scale(names, 1);
      await fairway.waitUntilReady(names, 1);

      expect([...(await fairway.controlPlanePids()).keys()].sort()).toEqual([...planes.keys()].sort());
      expect(fairway.duplicates()).toEqual([]);
      await fairway.deleteClusters();
      expect(await fairway.leaked()).toEqual([]);
    });
  },
);
