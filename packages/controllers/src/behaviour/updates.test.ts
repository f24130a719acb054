import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

/** Newer than all shipped releases, and without dates. */
const MINOR = '1.50';

async function start(patches: readonly number[] = [0]): Promise<TestFairway> {
  const fairway = await TestFairway.start();
  await fairway.create(kubernetesReleases, aRelease(MINOR, { rollout: ROLLOUT }, patches));
  return fairway;
}

const ROLLOUT = {
  maxConcurrent: 1,
  maxPercent: 100,
  maxFailures: 1,
  timeout: '1m',
  paused: false,
  canarySelector: { matchLabels: { stage: 'canary' } },
};

async function offer(fairway: TestFairway, ...patches: readonly number[]): Promise<void> {
  const { spec } = aRelease(MINOR, {}, patches);
  const value = { spec: { patches: spec.patches } };
  await fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value });
}

async function untilRelease(
  fairway: TestFairway,
  check: (release: KubernetesRelease) => unknown,
  name = MINOR,
): Promise<KubernetesRelease> {
  const selection = { fieldSelector: `metadata.name=${name}` };
  const [found] = await eventually(fairway.client.resource(kubernetesReleases), selection, ([release]) =>
    Boolean(release && check(release)),
  );
  return found as KubernetesRelease;
}

async function untilCluster(
  fairway: TestFairway,
  name: string,
  check: (cluster: Cluster) => unknown,
): Promise<Cluster> {
  const [found] = await fairway.until(clusters, ([cluster]) => Boolean(cluster && check(cluster)), name);
  return found as Cluster;
}

const runs = (version: string) => (cluster: Cluster) => cluster.status?.version === version && isReady(cluster);
const upToDate = ({ status }: Cluster) => findCondition(status?.conditions, 'UpToDate');

describe('a new patch', () => {
  test('reaches a cluster that follows its minor version, even if it was created without a version', async () => {
    await using fairway = await start();
    await fairway.createCluster({ version: MINOR }, 'asked');
    await fairway.createCluster({}, 'free');
    for (const name of ['asked', 'free']) await untilCluster(fairway, name, runs('1.50.0'));
    await fairway.create(kubernetesReleases, aRelease('1.51'));

    await offer(fairway, 0, 1);
    for (const name of ['asked', 'free']) await untilCluster(fairway, name, runs('1.50.1'));

    const { status } = await untilRelease(fairway, (release) => release.status?.rollout?.state === 'Complete');
    expect(status).toMatchObject({ newest: '1.50.1', rollout: { summary: '1.50.1 2/2', moving: [], failed: [] } });
    const free = await untilCluster(fairway, 'free', (cluster) => upToDate(cluster)?.status === 'True');
    expect(free.status).toMatchObject({ nextUpgradeVersions: ['1.51'] });
    expect(free.status?.availablePatch).toBeUndefined();
  });

  test.each(['NeverUpdate', 'MinimalDowntime'] as const)(
    'waits for the user with %s, and notifies them',
    async (updatePolicy) => {
      await using fairway = await start();
      await fairway.createCluster({ version: MINOR, updatePolicy });
      await untilCluster(fairway, 'demo', runs('1.50.0'));

      await offer(fairway, 0, 1);
      const updatedCluster = await untilCluster(
        fairway,
        'demo',
        (cluster) => upToDate(cluster)?.reason === 'UpdateAvailable',
      );
      expect(updatedCluster.status).toMatchObject({
        version: '1.50.0',
        availablePatch: '1.50.1',
        upToDate: false,
        phase: 'Ready',
      });
      expect(upToDate(updatedCluster)?.message).toContain('set spec.version to 1.50.1 to install it');
      await eventually(fairway.client.resource(Events), { namespace: TEAM }, (events) =>
        events.some(({ reason }) => reason === 'UpdateAvailable'),
      );

      await fairway.patch(clusters, 'demo', { spec: { version: '1.50.1' } });
      await untilCluster(fairway, 'demo', runs('1.50.1'));
    },
  );

  test('reaches a cluster without downtime if its API server has several replicas', async () => {
    await using fairway = await start();
    fairway.runtime.spread = { replicas: 3, zones: 1 };
    await fairway.createCluster({ version: MINOR, updatePolicy: 'MinimalDowntime' });
    await untilCluster(fairway, 'demo', runs('1.50.0'));

    await offer(fairway, 0, 1);
    const { status } = await untilCluster(fairway, 'demo', runs('1.50.1'));
    expect(status?.availablePatch).toBeUndefined();
  });

  test('stops if it breaks a canary, until the operator offers a better patch', async () => {
    await using fairway = await start();
    await fairway.createCluster({ version: MINOR }, 'canary');
    await fairway.patch(clusters, 'canary', { metadata: { labels: { stage: 'canary' } } });
    for (const name of ['b', 'c']) await fairway.createCluster({ version: MINOR }, name);
    for (const name of ['canary', 'b', 'c']) await untilCluster(fairway, name, runs('1.50.0'));
    fairway.runtime.broken.add('1.50.1');

    await offer(fairway, 0, 1);
    const halted = await untilRelease(fairway, ({ status }) => status?.rollout?.state === 'Halted');
    expect(halted.status?.rollout).toMatchObject({ failed: [{ name: 'canary' }], waiting: 2, moving: [] });
    expect(findCondition(halted.status?.conditions, 'RolledOut')).toMatchObject({
      reason: 'RolloutHalted',
      message: expect.stringMatching(
        /team\/canary runs 1\.50\.1, but its control plane is not ready: .*kubectl annotate kubernetesrelease 1\.50 /,
      ),
    });
    await untilCluster(fairway, 'b', (cluster) => upToDate(cluster)?.reason === 'RolloutHalted');
    await fairway.createCluster({ version: MINOR }, 'new');
    await untilCluster(fairway, 'new', runs('1.50.0'));
    const started = fairway.runtime.requestedSpecs.filter(({ version }) => version === '1.50.1');
    expect(new Set(started.map(({ cluster }) => cluster.name))).toEqual(new Set(['canary']));

    const { spec } = aRelease(MINOR, {}, [0, 1, 2]);
    const patches = spec.patches.map((patch) => ({ ...patch, withdrawn: patch.version === '1.50.1' }));
    const value = { spec: { patches } };
    await fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value });
    for (const name of ['b', 'c', 'new']) await untilCluster(fairway, name, runs('1.50.2'));
  });

  test('is resumed if Fairway is killed halfway', async () => {
    await using fairway = await start();
    const names = ['a', 'b', 'c'];
    for (const name of names) await fairway.createCluster({ version: MINOR }, name);
    for (const name of names) await untilCluster(fairway, name, runs('1.50.0'));

    await offer(fairway, 0, 1);
    await untilRelease(fairway, ({ status }) => (status?.rollout?.updated ?? 0) > 0);
    await fairway.stopProcess();
    await fairway.startProcess();

    for (const name of names) await untilCluster(fairway, name, runs('1.50.1'));
    const { status } = await untilRelease(fairway, (release) => release.status?.rollout?.state === 'Complete');
    expect(status?.rollout).toMatchObject({ updated: 3, failed: [] });
  });
});

test('a cluster waits for binaries without failing, and starts once they are available', async () => {
  await using fairway = await TestFairway.start();
  fairway.runtime.availableVersions = ['1.50.0'];
  await fairway.create(kubernetesReleases, aRelease(MINOR));
  await fairway.create(kubernetesReleases, aRelease('1.51'));
  const missing = await untilRelease(
    fairway,
    ({ status }) => findCondition(status?.conditions, 'Ready')?.reason === 'ProgramsMissing',
    '1.51',
  );
  expect(findCondition(missing.status?.conditions, 'Ready')?.message).toContain('"fairway releases fetch 1.51.2"');
  expect((await untilRelease(fairway, ({ status }) => status?.newest === '1.50.0')).status?.available).toEqual([
    '1.50.0',
  ]);

  await fairway.createCluster({}, 'any');
  await untilCluster(fairway, 'any', runs('1.50.0'));
  await fairway.createCluster({ version: '1.51' });
  const waiting = await untilCluster(
    fairway,
    'demo',
    ({ status }) => findCondition(status?.conditions, 'Ready')?.reason === 'ProgramsMissing',
  );
  expect(waiting.status).toMatchObject({ phase: 'Pending', lastOperation: { state: 'Pending' } });

  fairway.runtime.availableVersions = ['1.50.0', '1.51.2'];
  await untilCluster(fairway, 'demo', runs('1.51.2'));
});

test('an upgrade waits for nodes that would become too old, and names them', async () => {
  await using fairway = await TestFairway.start();
  for (const minor of ['1.37', '1.38']) await fairway.create(kubernetesReleases, aRelease(minor));
  // The test's kubelets are 1.34.
  await fairway.readyCluster({ replicas: 1 }, { version: '1.37' });
  const [machine] = await fairway.machines();
  const old = await untilCluster(fairway, 'demo', ({ status }) => status?.nodes?.oldestVersion === '1.34.2');
  expect(old.status?.nextUpgradeVersions).toEqual([]);

  await fairway.patch(clusters, 'demo', { spec: { version: '1.38' } });

  const waiting = await untilCluster(fairway, 'demo', (cluster) => upToDate(cluster)?.reason === 'NodesTooOld');
  expect(upToDate(waiting)?.message).toContain(`${machine?.metadata.name} (1.34.2), in pool general`);
  expect(waiting.status).toMatchObject({ version: '1.37.2', phase: 'Ready' });
  expect(fairway.runtime.requestedSpecs.some(({ version }) => version.startsWith('1.38'))).toBe(false);
});

test('a cluster reports the end of its minor version, as does the release itself', async () => {
  await using fairway = await TestFairway.start();
  await fairway.create(kubernetesReleases, aRelease(MINOR));
  await fairway.createCluster({ version: MINOR });
  await untilCluster(fairway, 'demo', runs('1.50.2'));
  const value = { spec: { released: '2020-01-01', maintenanceMode: '2020-06-01', endOfLife: '2021-01-01' } };
  await fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value });

  await untilRelease(fairway, ({ status }) => status?.phase === 'EndOfLife');
  const updatedCluster = await untilCluster(fairway, 'demo', ({ status }) =>
    findCondition(status?.conditions, 'VersionSupported'),
  );
  expect(findCondition(updatedCluster.status?.conditions, 'VersionSupported')).toMatchObject({
    status: 'False',
    reason: 'VersionEndOfLife',
    message:
      'Kubernetes 1.50 has reached its end of life on 2021-01-01 and gets no further fixes: no newer minor version is offered yet',
  });
  expect(updatedCluster.status?.phase).toBe('Ready');
});
