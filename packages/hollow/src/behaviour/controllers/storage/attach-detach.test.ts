import type { VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import {
  Events,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { attachmentName } from '../../../volume-names.ts';

const namespace = 'default';
const DRIVER = 'cinder.csi.openstack.org';
const IN_USE = `kubernetes.io/csi/${DRIVER}^handle`;

/** A cluster with a volume bound to a claim. */
async function withVolume(accessModes = ['ReadWriteOnce']): Promise<TestCluster> {
  const cluster = await TestCluster.start();
  const claim = {
    accessModes,
    volumeName: 'volume',
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
  };
  const csi = { driver: DRIVER, volumeHandle: 'handle' };
  const claimRef = { namespace, name: 'data' };
  const volume = { accessModes, capacity: { storage: '1Gi' }, csi, claimRef };
  const metadata = { name: 'data', namespace };
  await cluster.client.resource(PersistentVolumes).create({ metadata: { name: 'volume' }, spec: volume });
  await cluster.client.resource(PersistentVolumeClaims).create({ metadata, spec: claim });
  return cluster;
}

async function run({ client }: TestCluster, name: string, nodeName: string): Promise<void> {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const spec = { nodeName, containers: [{ name: 'app', image: 'busybox' }], volumes };
  await client.resource(Pods).create({ metadata: { name, namespace }, spec });
}

const untilAttachments = ({ client }: TestCluster, count: number) =>
  eventually(client.resource(VolumeAttachments), {}, (all) => all.length === count);

const use = ({ client }: TestCluster, node: string, volumesInUse: readonly string[]) =>
  client.resource(Nodes).patch(node, { type: 'merge', value: { status: { volumesInUse } } }, { subresource: 'status' });

async function attached({ client }: TestCluster, [attachment]: readonly VolumeAttachment[]): Promise<void> {
  const patch = { type: 'merge', value: { status: { attached: true } } } as const;
  await client.resource(VolumeAttachments).patch(attachment?.metadata.name ?? '', patch, { subresource: 'status' });
}

test('attaches a volume to a pod’s node, and lists it in the node’s status', async () => {
  await using cluster = await withVolume();
  await run(cluster, 'web', 'node-a');

  const found = await untilAttachments(cluster, 1);
  await attached(cluster, found);

  expect(found[0]?.metadata.name).toBe(attachmentName('handle', DRIVER, 'node-a'));
  expect(found[0]?.spec).toEqual({ attacher: DRIVER, nodeName: 'node-a', source: { persistentVolumeName: 'volume' } });
  await eventually(cluster.client.resource(Nodes), {}, (nodes) =>
    nodes.some(({ metadata, status }) => metadata.name === 'node-a' && status?.volumesAttached?.[0]?.name === IN_USE),
  );
});

describe('when the pod is deleted', () => {
  test('keeps a volume attached until its node has unmounted it', async () => {
    await using cluster = await withVolume();
    await run(cluster, 'web', 'node-a');
    await attached(cluster, await untilAttachments(cluster, 1));
    await use(cluster, 'node-a', [IN_USE]);

    await cluster.client.resource(Pods).delete('web', { namespace, gracePeriodSeconds: 0 });
    await cluster.clock.advance(300_000);
    const { items } = await cluster.client.resource(VolumeAttachments).list();
    await use(cluster, 'node-a', []);

    expect(items).toHaveLength(1);
    await untilAttachments(cluster, 0);
  });

  test('detaches a volume after six minutes from a node that never unmounts it', async () => {
    await using cluster = await withVolume();
    await run(cluster, 'web', 'node-a');
    await attached(cluster, await untilAttachments(cluster, 1));
    await use(cluster, 'node-a', [IN_USE]);

    await cluster.client.resource(Pods).delete('web', { namespace, gracePeriodSeconds: 0 });

    // The controller may observe the deletion of the pod after any of these minutes.
    await expect
      .poll(async () => {
        await cluster.clock.advance(60_000);
        return (await cluster.client.resource(VolumeAttachments).list()).items.length;
      })
      .toBe(0);
  });
});

test('does not attach a single-node volume to a second node, and reports that on its pod', async () => {
  await using cluster = await withVolume();
  await run(cluster, 'first', 'node-a');
  await untilAttachments(cluster, 1);

  await run(cluster, 'second', 'node-b');

  const events = await eventually(cluster.client.resource(Events), { namespace }, (all) =>
    all.some(({ reason }) => reason === 'FailedAttachVolume'),
  );
  const event = events.find(({ reason }) => reason === 'FailedAttachVolume');
  expect(event?.involvedObject.name).toBe('second');
  expect(event?.message).toMatch(/^Multi-Attach error for volume "volume"/);
  expect((await cluster.client.resource(VolumeAttachments).list()).items).toHaveLength(1);
});

test('attaches a multi-node volume to each node', async () => {
  await using cluster = await withVolume(['ReadWriteMany']);
  await run(cluster, 'first', 'node-a');
  await run(cluster, 'second', 'node-b');

  const attachments = await untilAttachments(cluster, 2);

  expect(attachments.map(({ spec }) => spec.nodeName).sort()).toEqual(['node-a', 'node-b']);
});
