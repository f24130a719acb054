import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { rootVolumeMetadata } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../testing/cloud-contents.ts';
import { Crash } from '../testing/crash.ts';
import { createForeignClient } from '../testing/foreign-client.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const rootVolume = { sizeGiB: 40 };
/** Cinder's back end fails to delete volumes. */
const DELETE_STUCK: FaultInput = { times: null, action: { kind: 'volumeError', step: 'delete' } };

async function start(options: Partial<TestFairwayOptions> = {}) {
  const clock = new SteppingClock();
  const changes = { ofVolumes: 0, ofStatus: 0 };
  const fairway = await TestFairway.start({
    clock,
    ...options,
    apiFaults: (request) => {
      if (request.method !== 'GET') changes.ofStatus++;
      return options.apiFaults?.(request);
    },
  });
  fairway.cloud.calls.onReceived(({ service, method }) => {
    if (service === 'block-storage' && method !== 'GET') changes.ofVolumes++;
  });
  const { blockStorage } = fairway.process.project.client;
  const volumes = () => clock.during(Array.fromAsync(blockStorage.volumes.list()));
  const events = async (reason: string) => {
    const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
    return items.filter((event) => event.reason === reason);
  };
  const machine = async () => {
    const [first] = await fairway.machines();
    if (first === undefined) throw new Error('there is no machine');
    return first;
  };
  return { fairway, clock, changes, volumes, events, machine };
}

/** Resets a volume in error_deleting, as the cloud operator would. */
function resetVolumeState(fairway: TestFairway, id: string): Promise<void> {
  const act = async ({ session }: OpenStackClient) => {
    const response = await fetch(`${await session.endpoint('block-storage')}/volumes/${id}/action`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': (await session.token()).id },
      body: JSON.stringify({ 'os-reset_status': { status: 'available' } }),
    });
    expect(response.status).toBe(202);
  };
  return createForeignClient(fairway, act, 'simulator-admin');
}

describe('a boot volume', () => {
  test('has its machine’s name and tag, and the machine reports its ID in the status', async () => {
    const { fairway, clock, volumes } = await start();
    await using _ = fairway;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 2, rootVolume }));
    await clock.pass(MINUTE_MS);

    const found = await volumes();
    const expected = (await fairway.machines()).map((machine) => ({
      id: machine.status?.rootVolumeID,
      name: `${machine.metadata.name}-root`,
      metadata: rootVolumeMetadata({ clusterUid: identityOf(cluster), machineUid: identityOf(machine) }),
    }));

    expect(found.map(({ id, name, metadata }) => ({ id, name, metadata }))).toEqual(expect.arrayContaining(expected));
    expect(found).toHaveLength(2);
  });

  test('is tagged once, even by the next process, and keeps a name given by a user', async () => {
    const { fairway, clock, changes, volumes } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    await clock.pass(MINUTE_MS);
    const [volume] = await volumes();
    const { blockStorage } = fairway.process.project.client;
    await clock.during(blockStorage.volumes.rename(volume?.id ?? '', 'mine'));
    await fairway.stopProcess();
    changes.ofVolumes = 0;

    await clock.during(fairway.startProcess());
    await clock.pass(30 * MINUTE_MS);

    expect(changes.ofVolumes).toBe(0);
    expect((await volumes()).map(({ name }) => name)).toEqual(['mine']);
  });

  test('is deleted with its machine without a report', async () => {
    const { fairway, clock, events } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 2, rootVolume }));

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await clock.during(fairway.until(machines, (left) => left.length === 1));

    expect(rowsOf(fairway.cloud)).toMatchObject({ servers: 1, volumes: 1 });
    expect(await events('OrphanFound')).toEqual([]);
  });

  test('is tagged after an outage of Cinder, at the cost of one attempt every five minutes', async () => {
    const { fairway, clock, volumes } = await start();
    await using _ = fairway;
    const calls = { ofVolumes: 0 };
    fairway.cloud.calls.onReceived(({ service }) => {
      if (service === 'block-storage') calls.ofVolumes++;
    });
    fairway.cloud.faults.add({ service: 'block-storage', times: null, action: { kind: 'answer', status: 503 } });
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    await clock.pass(30 * MINUTE_MS);
    calls.ofVolumes = 0;
    await clock.pass(HOUR_MS);
    const hourlyCalls = calls.ofVolumes;

    fairway.cloud.faults.clear();
    await clock.pass(10 * MINUTE_MS);

    // An attempt every five minutes, and the regular lists of Cinder's zones, types and quotas.
    expect(hourlyCalls).toBeLessThanOrEqual(60);
    expect(await volumes()).toEqual([expect.objectContaining({ name: expect.stringMatching(/-root$/) })]);
  });
});

describe('a boot volume that Cinder fails to delete', () => {
  test('is reported on the Cluster, with name and state, and retried at little cost', async () => {
    const { fairway, clock, changes, volumes, events, machine } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    const { metadata, status } = await machine();
    fairway.cloud.faults.add(DELETE_STUCK);

    await clock.during(fairway.delete(machines, metadata.name ?? ''));
    await clock.pass(5 * MINUTE_MS);

    const [event] = await events('OrphanFound');
    expect(event).toMatchObject({ involvedObject: { kind: 'Cluster', name: 'demo' }, type: 'Warning' });
    expect(event?.message).toContain(`volume ${metadata.name}-root (${status?.rootVolumeID}), from which`);
    expect(event?.message).toContain('is error_deleting: Cinder could not delete it');
    expect((await fairway.machines()).map((each) => each.metadata.name)).not.toContain(metadata.name);

    await clock.pass(70 * MINUTE_MS);
    const cost = { ...changes };
    await clock.pass(HOUR_MS);

    expect(await events('OrphanNotDeleted')).toHaveLength(1);
    expect((await events('OrphanNotDeleted'))[0]?.count ?? 1).toBe(1);
    expect(changes.ofVolumes - cost.ofVolumes).toBeLessThanOrEqual(12);
    expect(changes.ofStatus - cost.ofStatus).toBeLessThanOrEqual(4);
    expect(await volumes()).toHaveLength(2);
  });

  test('is deleted by the sweeper once that is possible', async () => {
    const { fairway, clock, events, machine } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    const { metadata, status } = await machine();
    fairway.cloud.faults.add(DELETE_STUCK);
    await clock.during(fairway.delete(machines, metadata.name ?? ''));
    await clock.pass(5 * MINUTE_MS);
    fairway.cloud.faults.clear();
    await clock.during(resetVolumeState(fairway, status?.rootVolumeID ?? ''));

    await clock.pass(70 * MINUTE_MS);

    expect(rowsOf(fairway.cloud)).toMatchObject({ servers: 1, volumes: 1 });
    const deleted = await events('OrphanDeleted');
    expect(deleted.map(({ message }) => message)).toEqual([expect.stringContaining(`${metadata.name}-root`)]);
  });

  test('blocks the deletion of its cluster, whose message names the volume', async () => {
    const { fairway, clock, machine } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    const { metadata, status } = await machine();
    fairway.cloud.faults.add(DELETE_STUCK);

    await clock.during(fairway.delete(clusters, 'demo'));
    await clock.pass(10 * MINUTE_MS);

    const [cluster] = (await fairway.client.resource(clusters).list({ namespace: TEAM })).items;
    const ready = findCondition(cluster?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'DeletionFailed' });
    expect(ready?.message).toContain(`volume ${metadata.name}-root (${status?.rootVolumeID}) is error_deleting`);
    expect(await fairway.machines()).toEqual([]);
  });
});

describe('a process killed while a machine with a boot volume is deleted', () => {
  test.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    'leaves nothing untagged after call %i',
    async (nth) => {
      const crash = new Crash(/\/(servers|volumes|machines)(\/|\?|$)/);
      const { fairway, clock, volumes } = await start(crash.options);
      await using _ = fairway;
      // The volume has not been tagged yet.
      fairway.cloud.faults.add({ service: 'block-storage', times: null, action: { kind: 'answer', status: 503 } });
      await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
      fairway.cloud.faults.clear();
      fairway.cloud.faults.add(DELETE_STUCK);
      const [machine] = await fairway.machines();

      await clock.during(fairway.delete(machines, machine?.metadata.name ?? ''));
      crash.afterCalls(nth);
      await clock.pass(5 * MINUTE_MS);
      expect(crash.hasOccurred).toBe(true);
      await clock.during(fairway.stopProcess());
      crash.end();
      await clock.during(fairway.startProcess());
      await clock.pass(10 * MINUTE_MS);

      const found = await volumes();
      expect(found).toHaveLength(2);
      for (const volume of found) {
        expect(volume.name).toMatch(/-root$/);
        expect(volume.metadata).toHaveProperty('fairway.dev/machine');
      }
    },
  );
});
