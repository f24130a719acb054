import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { expect, test } from 'vitest';
import { unappliedPins } from './unapplied-pins.ts';

const NODES = { containerd: '2.2.7', pause: '3.10.1' };

function release(components: Record<string, string>, ofPatch?: Record<string, string>): KubernetesRelease {
  return {
    metadata: { name: '1.36' },
    spec: {
      minor: '1.36',
      source: 'a test',
      patches: [{ version: '1.36.1', withdrawn: false, ...(ofPatch && { components: ofPatch }) }],
      components: { ...NODES, ...components },
    },
  };
}

test.each<{ components: Record<string, string>; ofPatch?: Record<string, string>; reported: string[] }>([
  { components: {}, reported: [] },
  {
    components: { coredns: '1.99.0', calico: '3.99.0', flannel: '0.99.0', 'metrics-server': '0.99.0' },
    reported: [],
  },
  {
    components: { 'core-dns': '1.14.2' },
    reported: ['spec.components.core-dns 1.14.2: Fairway has no component of this name: did you mean "coredns"?'],
  },
  {
    components: {},
    ofPatch: { Containerd: '2.2.8' },
    reported: [
      'spec.patches[1.36.1].components.Containerd 2.2.8: Fairway has no component of this name: did you mean "containerd"?',
    ],
  },
  {
    components: { cilium: '1.17.0', 'cinder-csi': '1.30.0' },
    reported: [
      'spec.components.cilium 1.17.0: Fairway requires a newer version and installs 1.20.2',
      'spec.components.cinder-csi 1.30.0: Fairway requires a newer version and installs 1.36.0',
    ],
  },
  {
    components: { etcd: '3.5.0' },
    reported: [
      'spec.components.etcd 3.5.0: control planes run the etcd installed on the machine: "fairway releases fetch 1.36.1 --etcd 3.5.0" installs this version',
    ],
  },
])(
  'reports $reported for components $components and patch components $ofPatch',
  ({ components, ofPatch, reported }) => {
    const fields = unappliedPins(release(components, ofPatch));

    expect(fields.map(({ field, value, detail }) => `${field} ${String(value)}: ${detail}`)).toEqual(reported);
  },
);

test('reports nothing for the releases that Fairway ships', () => {
  expect(SHIPPED_RELEASES.flatMap(unappliedPins)).toEqual([]);
});
