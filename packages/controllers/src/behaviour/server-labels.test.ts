import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { Server } from '@fairway/openstack/types/server';
import { describe, expect, test } from 'vitest';
import { TestFairway } from '../testing/test-fairway.ts';

const LABELS = { serverTags: ['team:web', 'old'], serverMetadata: { 'cost center': '7', old: '1' } };

describe('tags and metadata of servers', () => {
  test('are set from the start', async () => {
    await using fairway = await TestFairway.start();
    const { metadata } = await fairway.readyCluster({ replicas: 1, ...LABELS });
    const [server] = await serversOf(fairway);
    const [machine] = await fairway.machines();

    expect(server?.tags).toEqual(expect.arrayContaining(['team:web', 'fairway', `fairway-cluster-${metadata.uid}`]));
    expect(server?.metadata).toMatchObject({ 'cost center': '7', 'fairway.dev.cluster': 'demo' });
    expect(machine?.status?.appliedServerLabels).toEqual({
      tags: ['old', 'team:web'],
      metadata: ['cost center', 'old'],
    });
  });

  test('are applied to existing servers in place, and are removed with the field', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    const before = sorted(await serversOf(fairway));
    const { servers } = fairway.process.project.client.compute;
    for (const { id, tags } of before) await servers.setTags(id, [...tags, 'theirs']);

    await fairway.patch(nodePools, 'general', { spec: LABELS });
    await serversWhenSettled(fairway, (all) =>
      all.every(({ tags }) => tags.includes('old') && tags.includes('team:web')),
    );
    await fairway.patch(nodePools, 'general', {
      spec: { serverTags: ['team:web'], serverMetadata: { 'cost center': '8', old: null } },
    });
    const changed = await serversWhenSettled(fairway, (all) =>
      all.every(({ tags, metadata }) => !tags.includes('old') && metadata['cost center'] === '8'),
    );
    await fairway.patch(nodePools, 'general', { spec: { serverTags: null, serverMetadata: null } });
    const without = await serversWhenSettled(fairway, (all) =>
      all.every(({ tags, metadata }) => !tags.includes('team:web') && metadata['cost center'] === undefined),
    );
    await fairway.until(machines, (all) => all.every(({ status }) => status?.appliedServerLabels?.tags.length === 0));

    expect(changed.map(({ metadata }) => metadata['cost center'])).toEqual(['8', '8']);
    expect(changed.every(({ tags }) => tags.includes('theirs'))).toBe(true);
    expect(without.map(({ id, tags }) => [id, tags.length])).toEqual(
      before.map(({ id, tags }) => [id, tags.length + 1]),
    );
    expect(without.map(({ metadata }) => metadata)).toEqual(before.map(({ metadata }) => metadata));
  });

  test('are restored after their removal', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1, ...LABELS });
    const [server] = await serversOf(fairway);
    await fairway.process.project.client.compute.servers.removeTag(server?.id ?? '', 'team:web');

    // The list from before the removal still contains it.
    await serversWhenSettled(fairway, ([each]) => each?.tags.includes('team:web') === false);
    const [after] = await serversWhenSettled(fairway, ([each]) => each?.tags.includes('team:web'));

    expect(after?.id).toBe(server?.id);
  });

  test('need no queries to the cloud while nothing changes', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2, ...LABELS });
    const calls = fairway.cloud.calls.counts().filter(({ template }) => /\/(tags|metadata)/.test(template));

    expect(calls).toEqual([]);
  });
});

function serversOf(fairway: TestFairway): Promise<Server[]> {
  return Array.fromAsync(fairway.process.project.client.compute.servers.list());
}

function sorted(servers: readonly Server[]): readonly Server[] {
  return servers.toSorted((a, b) => a.id.localeCompare(b.id));
}

/** The servers, once Fairway's list shows the desired state. */
function serversWhenSettled(fairway: TestFairway, isUpToDate: (servers: readonly Server[]) => unknown) {
  const { servers } = fairway.process.project.cache;
  return new Promise<readonly Server[]>((resolve) => {
    const look = () => {
      const listed = [...servers.snapshot().items.values()];
      if (!isUpToDate(listed)) return;
      stop();
      resolve(sorted(listed));
    };
    const stop = servers.subscribe(look);
    look();
  });
}
