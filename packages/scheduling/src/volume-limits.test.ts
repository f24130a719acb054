import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { findNode } from './fit.ts';
import { NodeState } from './node-state.ts';
import { aNode, aPod } from './testing/objects.ts';
import { PodVolumes } from './volumes.ts';

const DRIVER = 'cinder.csi.openstack.org';
const DELAYED = { volumeBindingMode: 'WaitForFirstConsumer' };

/** A cluster whose node `n` takes two volumes of the driver, with volumes a to d of it and one of another's. */
function readerOf(limits: readonly object[]): Pick<ObjectReader, 'get' | 'list'> {
  const objects: Readonly<Record<string, Readonly<Record<string, object>>>> = {
    CSINode: { n: { spec: { drivers: limits } } },
    StorageClass: { new: { provisioner: DRIVER, ...DELAYED }, nfs: { provisioner: 'nfs', ...DELAYED } },
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

function using(name: string, ...claims: readonly string[]): Pod {
  return aPod(name, {
    volumes: claims.map((claimName, index) => ({ name: `${index}`, persistentVolumeClaim: { claimName } })),
  });
}

const TWO = [{ name: DRIVER, nodeID: 'server', allocatable: { count: 2 } }];

test.each([
  { reason: 'one more', there: [using('x', 'a')], pod: using('y', 'b'), fits: true },
  { reason: 'two at once', there: [], pod: using('y', 'a', 'b'), fits: true },
  { reason: 'one too many', there: [using('x', 'a', 'b')], pod: using('y', 'c'), fits: false },
  { reason: 'one too many of two pods', there: [using('x', 'a'), using('z', 'b')], pod: using('y', 'c'), fits: false },
  { reason: 'those that are there already', there: [using('x', 'a', 'b')], pod: using('y', 'b'), fits: true },
  { reason: 'a new one', there: [using('x', 'a')], pod: using('y', 'new'), fits: true },
  { reason: 'a new one too many', there: [using('x', 'a', 'b')], pod: using('y', 'new'), fits: false },
  {
    reason: 'a new one beside one that is to come',
    there: [using('x', 'a', 'new')],
    pod: using('y', 'new-too'),
    fits: false,
  },
  { reason: "another driver's", there: [using('x', 'a', 'b')], pod: using('y', 'other'), fits: true },
  { reason: "another driver's new one", there: [using('x', 'a', 'b')], pod: using('y', 'nfs'), fits: true },
  { reason: 'none', there: [using('x', 'a', 'b', 'c')], pod: using('y'), fits: true },
  {
    reason: 'more where nodes say nothing',
    limits: [],
    there: [using('x', 'a', 'b')],
    pod: using('y', 'c'),
    fits: true,
  },
  {
    reason: 'more where the driver knows no limit',
    limits: [{ name: DRIVER, nodeID: 'server' }],
    there: [using('x', 'a', 'b')],
    pod: using('y', 'c'),
    fits: true,
  },
])('a node that takes two volumes takes $reason: $fits', ({ limits = TWO, there, pod, fits }) => {
  const state = new NodeState(aNode('n'));
  for (const other of there) state.addPod(`default/${other.metadata.name}`, other);
  const volumes = new PodVolumes(pod, readerOf(limits));

  const fit = findNode(pod, [state], { labelsOf: () => ({}), random: () => 0, volumes });

  const said = fit.kind === 'none' ? fit.message : fit.nodeName;
  expect(said).toBe(fits ? 'n' : '0/1 nodes are available: 1 node(s) exceed max volume count.');
});
