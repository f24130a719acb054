import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DNS_LABELS = { 'k8s-app': 'kube-dns' };

/**
 * A cluster with two nodes whose API server refuses all evictions. The Machine whose node runs these pods is deleted.
 */
async function startDraining(...pods: readonly { name: string; namespace: string; labels: Record<string, string> }[]) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...faults.options });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 2 }));
  await clock.pass(6 * MINUTE_MS);
  const [machine] = await fairway.machines();
  const name = machine?.metadata.name ?? '';
  const tenant = fairway.runtime.client(identityOf(cluster));
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  for (const metadata of pods) {
    const spec = { containers: [{ name: 'main', image: 'main' }], nodeName: name };
    await tenant.resource(Pods).create({ metadata, spec });
    if (metadata.namespace === 'kube-system') continue;
    const budget = { minAvailable: 1, selector: { matchLabels: metadata.labels } };
    await tenant.resource(PodDisruptionBudgets).create({ metadata, spec: budget });
  }
  faults.blocksEvictions = true;
  await fairway.delete(machines, name);
  return {
    fairway,
    clock,
    ready: async () => {
      const found = (await fairway.machines()).find(({ metadata }) => metadata.name === name) as Machine;
      return findCondition(found.status?.conditions, 'Ready');
    },
  };
}

const DATABASE = { name: 'database-0', namespace: 'default', labels: { app: 'database' } };
const DNS = { name: 'coredns-x', namespace: 'kube-system', labels: DNS_LABELS };

test('a tenant’s PodDisruptionBudget is reported by name after a minute, and again after a restart', async () => {
  const { fairway, clock, ready } = await startDraining(DATABASE, DNS);
  await using _ = fairway;

  await clock.pass(50 * SECOND_MS);
  const early = await ready();
  await clock.pass(30 * SECOND_MS);
  const late = await ready();
  await fairway.stopProcess();
  await clock.during(fairway.startProcess());
  await clock.pass(20 * SECOND_MS);

  expect(early).toMatchObject({
    reason: 'Draining',
    message: expect.stringMatching(/^2 pods still to be evicted from the node;/),
  });
  expect(late).toMatchObject({
    reason: 'PodDisruptionBudget',
    message: expect.stringMatching(
      /^PodDisruptionBudget default\/database-0 blocks the eviction of default\/database-0: run more replicas, or relax the budget; the server is deleted by \S+Z at the latest; since \S+Z$/,
    ),
  });
  expect(await ready()).toEqual(late);
});

test('an add-on’s PodDisruptionBudget requires no action from anyone', async () => {
  const { fairway, clock, ready } = await startDraining(DNS);
  await using _ = fairway;

  await clock.pass(3 * MINUTE_MS);

  expect(await ready()).toMatchObject({
    reason: 'Draining',
    message: expect.stringMatching(
      /^kube-system\/coredns-x of an add-on can be evicted once the add-on's other pods are ready; see status\.addons of the Cluster; the server is deleted by/,
    ),
  });
});
