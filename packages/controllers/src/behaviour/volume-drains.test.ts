import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, PersistentVolumeClaims, Pods, VolumeAttachments } from '@fairway/kube/kinds/resources';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const inDefaultNamespace = { namespace: 'default' };

/** A node whose Machine is deleted, with one pod without volumes and three pods with one volume each. */
async function startDraining() {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242) });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
  const [machine] = await fairway.machines();
  const name = machine?.metadata.name ?? '';
  const tenant = fairway.runtime.client(identityOf(cluster));
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  const containers = [{ name: 'main', image: 'main' }];
  // No kubelet stops these pods: the test decides when they terminate.
  const spec = { containers, nodeName: name, terminationGracePeriodSeconds: 30 };
  await tenant.resource(Pods).create({ metadata: { name: 'web', ...inDefaultNamespace }, spec });
  for (const pod of ['db-0', 'db-1', 'db-2']) {
    const claim = `data-${pod}`;
    const claimSpec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: `pv-${pod}`,
    };
    await tenant
      .resource(PersistentVolumeClaims)
      .create({ metadata: { name: claim, ...inDefaultNamespace }, spec: claimSpec });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
    await tenant.resource(Pods).create({ metadata: { name: pod, ...inDefaultNamespace }, spec: { ...spec, volumes } });
    const source = { persistentVolumeName: `pv-${pod}` };
    const attachment = { attacher: 'cinder.csi.openstack.org', nodeName: name, source };
    await tenant.resource(VolumeAttachments).create({ metadata: { name: `va-${pod}` }, spec: attachment });
  }
  await fairway.delete(machines, name);
  await clock.pass(5 * SECOND_MS);
  const leaving = async () =>
    (await tenant.resource(Pods).list(inDefaultNamespace)).items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name);
  return {
    fairway,
    clock,
    tenant,
    name,
    leaving,
    /** Deletes the pod, as its kubelet would. */
    end: (pod: string) => tenant.resource(Pods).delete(pod, { ...inDefaultNamespace, gracePeriodSeconds: 0 }),
    detach: (pod: string) => tenant.resource(VolumeAttachments).delete(`va-${pod}`),
    machine: async () => (await fairway.machines()).find(({ metadata }) => metadata.name === name) as Machine,
  };
}

test('pods with volumes are evicted one by one, each once the previous volume is detached', async () => {
  const { fairway, clock, leaving, end, detach, machine } = await startDraining();
  await using _ = fairway;
  const first = await leaving();
  await end('web');
  await end('db-0');
  await clock.pass(10 * SECOND_MS);
  const waitingWhileAttached = await leaving();
  const readyCondition = findCondition((await machine()).status?.conditions, 'Ready');
  await detach('db-0');
  await clock.pass(5 * SECOND_MS);
  const second = await leaving();
  await end('db-1');
  await detach('db-1');
  await clock.pass(5 * SECOND_MS);
  const third = await leaving();
  await end('db-2');
  await clock.pass(10 * SECOND_MS);
  const before = (await machine()).status?.phase;
  await detach('db-2');
  await clock.pass(MINUTE_MS);

  expect(first).toEqual(['db-0', 'web']);
  expect(waitingWhileAttached).toEqual([]);
  expect(readyCondition?.message).toMatch(
    /^volume pv-db-0 is still to be detached from the node; the server is deleted by /,
  );
  expect(second).toEqual(['db-1']);
  expect(third).toEqual(['db-2']);
  expect(before).toBe('Draining');
  expect(await machine()).toBeUndefined();
});

test('a volume that is not detached delays the others for two minutes, and a pod that does not terminate for one', async () => {
  const { fairway, clock, leaving, end } = await startDraining();
  await using _ = fairway;
  await end('db-0');
  await clock.pass(110 * SECOND_MS);
  const during = await leaving();
  await clock.pass(20 * SECOND_MS);
  const after = await leaving();
  // Its own 30 s grace period, then a minute.
  await clock.pass(95 * SECOND_MS);
  const last = await leaving();

  expect(during).toEqual(['web']);
  expect(after).toEqual(['db-1', 'web']);
  expect(last).toEqual(['db-1', 'db-2', 'web']);
});

test('all pods of a node with an unresponsive kubelet are evicted at once', async () => {
  const { fairway, clock, tenant, name, leaving } = await startDraining();
  await using _ = fairway;
  const value = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
  await tenant.resource(tenantNodes).patch(name, { type: 'merge', value }, { subresource: 'status' });
  await clock.pass(3 * SECOND_MS);

  expect(await leaving()).toEqual(['db-0', 'db-1', 'db-2', 'web']);
});

test('a restart of Fairway during the drain does not evict additional pods', async () => {
  const { fairway, clock, leaving } = await startDraining();
  await using _ = fairway;
  await fairway.stopProcess();
  await clock.during(fairway.startProcess());
  await clock.pass(20 * SECOND_MS);

  expect(await leaving()).toEqual(['db-0', 'web']);
});
