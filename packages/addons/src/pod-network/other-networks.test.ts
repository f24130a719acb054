import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { findOtherNetwork } from './other-networks.ts';

function daemonSet(image: string, path = '/var/log', initImage?: string) {
  const spec = {
    containers: [{ name: 'main', image }],
    ...(initImage && { initContainers: [{ name: 'init', image: initImage }] }),
    volumes: [{ name: 'host', hostPath: { path } }],
  };
  return { metadata: { name: 'mine', namespace: 'infra' }, spec: { selector: {}, template: { spec } } };
}

const NETWORK_NAME = 'DaemonSet infra/mine';

test.each([
  { image: 'quay.io/calico/node:v3.31.7', is: NETWORK_NAME },
  { image: 'mirror.example.org:5000/calico/node@sha256:0123', is: NETWORK_NAME },
  { image: 'quay.io/cilium/cilium:v1.18.0@sha256:0123', is: NETWORK_NAME },
  { image: 'ghcr.io/flannel-io/flannel:v0.27.4', is: NETWORK_NAME },
  { image: 'docker.io/cloudnativelabs/kube-router:v2', is: NETWORK_NAME },
  { image: 'weaveworks/weave-kube:2.8.1', is: NETWORK_NAME },
  { image: 'docker.io/kubeovn/kube-ovn:v1.14', is: NETWORK_NAME },
  { image: 'ghcr.io/ovn-kubernetes/ovn-kubernetes/ovn-kube-ubuntu:master', is: NETWORK_NAME },
  { image: 'antrea/antrea-agent-ubuntu:v2', is: NETWORK_NAME },
  { image: 'example.org/our-network:v1', path: '/etc/cni/net.d', is: NETWORK_NAME },
  { image: 'example.org/our-network:v1', path: '/etc/cni/', is: NETWORK_NAME },
  { image: 'example.org/our-network:v1', path: '/etc/cni-notes', is: undefined },
  { image: 'example.org/node:v1', is: undefined },
  { image: 'example.org/cilium/exporter:v1', is: undefined },
  { image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:v4', path: '/etc/cni/net.d', is: undefined },
  { image: 'ghcr.io/k8snetworkplumbingwg/whereabouts:v0.9', path: '/etc/cni/net.d', is: undefined },
  { image: 'docker.io/istio/install-cni:1.28', path: '/etc/cni/net.d', is: undefined },
  { image: 'cr.l5d.io/linkerd/cni-plugin:v1.6', path: '/etc/cni/net.d', is: undefined },
  { image: '', is: undefined },
])('DaemonSet with image $image and path $path is reported as $is', ({ image, path, is }) => {
  expect(findOtherNetwork([daemonSet('example.org/log:v1'), daemonSet(image, path)])).toBe(is);
});

test('detects a network by the image of an init container', () => {
  expect(findOtherNetwork([daemonSet('example.org/main:v1', '/var/log', 'quay.io/cilium/cilium:v1')])).toBe(
    NETWORK_NAME,
  );
});

test('reports no network in a cluster without DaemonSets', () => {
  expect(findOtherNetwork([])).toBeUndefined();
});

test('parses an image name in linear time', async () => {
  expect(await excessiveGrowth((text) => findOtherNetwork([daemonSet(text, text)]))).toBeUndefined();
});
