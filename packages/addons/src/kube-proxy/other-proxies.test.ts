import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { findOtherProxy } from './other-proxies.ts';

function daemonSet(image: string, args: string[] = []) {
  const template = { spec: { containers: [{ name: 'main', image, args }] } };
  return { metadata: { name: 'mine', namespace: 'infra' }, spec: { selector: {}, template } };
}

test.each([
  { image: 'registry.k8s.io/kube-proxy:v1.34.2', is: 'DaemonSet infra/mine' },
  { image: 'mirror.example.org:5000/a/kube-proxy@sha256:0123', is: 'DaemonSet infra/mine' },
  { image: 'mirror.example.org:5000/a/kube-proxy-amd64:v1.34.2@sha256:0123', is: 'DaemonSet infra/mine' },
  { image: 'kube-proxy', is: 'DaemonSet infra/mine' },
  { image: 'cloudnativelabs/kube-router:v2', is: 'DaemonSet infra/mine' },
  { image: 'cloudnativelabs/kube-router:v2', args: ['--run-router=true', '--run-service-proxy=false'], is: undefined },
  { image: 'example.org/kube-proxy/exporter:v1', is: undefined },
  { image: 'example.org/my-kube-proxy:v1', is: undefined },
  { image: '', is: undefined },
])('DaemonSet with image $image and args $args is reported as $is', ({ image, args, is }) => {
  expect(
    findOtherProxy({ daemonSets: [daemonSet('example.org/log:v1'), daemonSet(image, args)], cilium: undefined }),
  ).toBe(is);
});

test.each([
  { value: 'true', is: 'ConfigMap kube-system/cilium-config (kube-proxy-replacement: true)' },
  { value: 'strict', is: 'ConfigMap kube-system/cilium-config (kube-proxy-replacement: strict)' },
  { value: 'false', is: undefined },
  { value: 'partial', is: undefined },
])('Cilium with kube-proxy-replacement $value is reported as $is', ({ value, is }) => {
  expect(findOtherProxy({ daemonSets: [], cilium: { metadata: {}, data: { 'kube-proxy-replacement': value } } })).toBe(
    is,
  );
});

test('parses an image name in linear time', async () => {
  expect(
    await excessiveGrowth((text) => findOtherProxy({ daemonSets: [daemonSet(text)], cilium: undefined })),
  ).toBeUndefined();
});
