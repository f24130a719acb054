import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { otherNetwork } from './other-networks.ts';

function daemonSet(image: string, path = '/var/log', initImage?: string) {
  const spec = {
    containers: [{ name: 'main', image }],
    ...(initImage && { initContainers: [{ name: 'init', image: initImage }] }),
    volumes: [{ name: 'host', hostPath: { path } }],
  };
  return { metadata: { name: 'mine', namespace: 'infra' }, spec: { selector: {}, template: { spec } } };
}

const FOUND = 'DaemonSet infra/mine';

test.each([
  { image: 'quay.io/calico/node:v3.31.7', is: FOUND },
  { image: 'mirror.example.org:5000/calico/node@sha256:0123', is: FOUND },
  { image: 'quay.io/cilium/cilium:v1.18.0@sha256:0123', is: FOUND },
  { image: 'ghcr.io/flannel-io/flannel:v0.27.4', is: FOUND },
  { image: 'docker.io/cloudnativelabs/kube-router:v2', is: FOUND },
  { image: 'weaveworks/weave-kube:2.8.1', is: FOUND },
  { image: 'docker.io/kubeovn/kube-ovn:v1.14', is: FOUND },
  { image: 'ghcr.io/ovn-kubernetes/ovn-kubernetes/ovn-kube-ubuntu:master', is: FOUND },
  { image: 'antrea/antrea-agent-ubuntu:v2', is: FOUND },
  { image: 'example.org/our-network:v1', path: '/etc/cni/net.d', is: FOUND },
  { image: 'example.org/our-network:v1', path: '/etc/cni/', is: FOUND },
  { image: 'example.org/our-network:v1', path: '/etc/cni-notes', is: undefined },
  { image: 'example.org/node:v1', is: undefined },
  { image: 'example.org/cilium/exporter:v1', is: undefined },
  { image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:v4', path: '/etc/cni/net.d', is: undefined },
  { image: 'ghcr.io/k8snetworkplumbingwg/whereabouts:v0.9', path: '/etc/cni/net.d', is: undefined },
  { image: 'docker.io/istio/install-cni:1.28', path: '/etc/cni/net.d', is: undefined },
  { image: 'cr.l5d.io/linkerd/cni-plugin:v1.6', path: '/etc/cni/net.d', is: undefined },
  { image: '', is: undefined },
])('$image with $path: $is', ({ image, path, is }) => {
  expect(otherNetwork([daemonSet('example.org/log:v1'), daemonSet(image, path)])).toBe(is);
});

test('a network whose image belongs to an init container', () => {
  expect(otherNetwork([daemonSet('example.org/main:v1', '/var/log', 'quay.io/cilium/cilium:v1')])).toBe(FOUND);
});

test('none in a cluster without DaemonSets', () => {
  expect(otherNetwork([])).toBeUndefined();
});

test('an image is read in linear time', async () => {
  expect(await excessiveGrowth((text) => otherNetwork([daemonSet(text, text)]))).toBeUndefined();
});
