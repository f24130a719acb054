import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { addonFacts } from './facts.ts';

const [first] = SHIPPED_RELEASES.find(({ spec }) => spec.minor === '1.35')?.spec.patches ?? [];

test.each([
  { oldest: first?.version, is: first?.version, reason: 'the image of that version is in the catalogue' },
  { oldest: '1.35.999', is: undefined, reason: 'nodes report their own version, and that image does not exist' },
  { oldest: undefined, is: undefined, reason: 'the cluster has no nodes' },
])('kube-proxy is $is if the oldest node version is $oldest: $reason', ({ oldest, is }) => {
  const nodes = {
    desired: 1,
    current: 1,
    ready: 1,
    upToDate: 1,
    ...(oldest !== undefined && { oldestVersion: oldest }),
  };
  const known = { version: '1.36.3', url: 'https://192.0.2.1', podCIDR: '10.2.0.0/16', serviceCIDR: '10.3.0.0/16' };
  const status: ClusterStatus = { ...known, kubeProxyMode: 'iptables', nodes };

  expect(
    addonFacts({ ...aCluster(), status }, SHIPPED_RELEASES, {}, { reachesNodes: true }, 0)?.oldestNodeVersion,
  ).toBe(is);
});
