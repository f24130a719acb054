import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { findNode } from './fit.ts';
import { NodeState } from './node-state.ts';
import { aNode, aPod } from './testing/objects.ts';
import { PodVolumes } from './volumes.ts';

const DRIVER = 'cinder.csi.openstack.org';
const DELAYED_BINDING = { volumeBindingMode: 'WaitForFirstConsumer' };

/**
 * A cluster whose node `n` accepts two volumes of the driver. Volumes a to d belong to the driver, and one volume
 * belongs to another driver.
 */
function readerOf(limits: readonly object[]): Pick<ObjectReader, 'get' | 'list'> {
  const objects: Readonly<Record<string, Readonly<Record<string, object>>>> = {
    CSINode: { n: { spec: { drivers: limits } } },
    StorageClass: { new: { provisioner: DRIVER, ...DELAYED_BINDING }, nfs: { provisioner: 'nfs', ...DELAYED_BINDING } },
    PersistentVolume: Object.fromEntries(
      ['a', 'b', 'c', 'd', 'other'].map((name) => {
        const csi = { driver: name === 'other' ? 'other' : DRIVER, volumeHandle: `id-of-${name}` };
        return [`pv-${name}`, { metadata: {}, spec: { csi } }];
      }),
    ),
    PersistentVolumeClaim: Object.fromEntries([
      ...['a', 'b', 'c', 'd', 'other'].map((name) => [
        name,
        { metadata: { name, namespace: 'default' }, spec: { volumeName: `pv-${name}` }, status: { phase: 'Bound' } },
      ]),
      ...['new', 'new-too', 'nfs'].map((name) => [
        name,
        { metadata: { name, namespace: 'default' }, spec: { storageClassName: name === 'nfs' ? 'nfs' : 'new' } },
      ]),
    ]),
  };
  return {
    get: ({ kind }, _namespace, name) => objects[kind]?.[name] as never,
    list: () => [],
  };
}

function podWithClaims(name: string, ...claims: readonly string[]): Pod {
  return aPod(name, {
    volumes: claims.map((claimName, index) => ({ name: `${index}`, persistentVolumeClaim: { claimName } })),
  });
}

const TWO_VOLUME_LIMIT = [{ name: DRIVER, nodeID: 'server', allocatable: { count: 2 } }];

test.each([
  { reason: 'one more volume', there: [podWithClaims('x', 'a')], pod: podWithClaims('y', 'b'), fits: true },
  { reason: 'two volumes at the same time', there: [], pod: podWithClaims('y', 'a', 'b'), fits: true },
  { reason: 'one volume too many', there: [podWithClaims('x', 'a', 'b')], pod: podWithClaims('y', 'c'), fits: false },
  {
    reason: 'one volume too many for two pods',
    there: [podWithClaims('x', 'a'), podWithClaims('z', 'b')],
    pod: podWithClaims('y', 'c'),
    fits: false,
  },
  {
    reason: 'a volume that is already attached',
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'b'),
    fits: true,
  },
  { reason: 'a new volume', there: [podWithClaims('x', 'a')], pod: podWithClaims('y', 'new'), fits: true },
  {
    reason: 'a new volume too many',
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'new'),
    fits: false,
  },
  {
    reason: 'a new volume in addition to one that does not exist yet',
    there: [podWithClaims('x', 'a', 'new')],
    pod: podWithClaims('y', 'new-too'),
    fits: false,
  },
  {
    reason: 'a volume of another driver',
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'other'),
    fits: true,
  },
  {
    reason: 'a new volume of another driver',
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'nfs'),
    fits: true,
  },
  { reason: 'none', there: [podWithClaims('x', 'a', 'b', 'c')], pod: podWithClaims('y'), fits: true },
  {
    reason: 'more volumes if the node reports no drivers',
    limits: [],
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'c'),
    fits: true,
  },
  {
    reason: 'more volumes if the driver has no limit',
    limits: [{ name: DRIVER, nodeID: 'server' }],
    there: [podWithClaims('x', 'a', 'b')],
    pod: podWithClaims('y', 'c'),
    fits: true,
  },
])('a node with a limit of two volumes accepts $reason: $fits', ({ limits = TWO_VOLUME_LIMIT, there, pod, fits }) => {
  const state = new NodeState(aNode('n'));
  for (const other of there) state.addPod(`default/${other.metadata.name}`, other);
  const volumes = new PodVolumes(pod, readerOf(limits));

  const fit = findNode(pod, [state], { labelsOf: () => ({}), random: () => 0, volumes });

  const message = fit.kind === 'none' ? fit.message : fit.nodeName;
  expect(message).toBe(fits ? 'n' : '0/1 nodes are available: 1 node(s) exceed max volume count.');
});
