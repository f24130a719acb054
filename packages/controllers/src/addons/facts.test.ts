import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { addonFacts } from './facts.ts';

const [first] = SHIPPED_RELEASES.find(({ spec }) => spec.minor === '1.35')?.spec.patches ?? [];

test.each([
  { oldest: first?.version, is: first?.version, reason: 'the catalogue has it' },
  { oldest: '1.35.999', is: undefined, reason: 'a node may say what it likes, and nobody has made such an image' },
  { oldest: undefined, is: undefined, reason: 'there is no node' },
])('kube-proxy follows nodes of $oldest as of $is: $reason', ({ oldest, is }) => {
  const nodes = {
    desired: 1,
    current: 1,
    ready: 1,
    upToDate: 1,
    ...(oldest !== undefined && { oldestVersion: oldest }),
  };
  const known = { version: '1.36.3', url: 'https://192.0.2.1', podCIDR: '10.2.0.0/16', serviceCIDR: '10.3.0.0/16' };
  const status: ClusterStatus = { ...known, kubeProxyMode: 'iptables', nodes };

  expect(addonFacts({ ...aCluster(), status }, SHIPPED_RELEASES, {}, { reachesNodes: true })?.oldestNodeVersion).toBe(
    is,
  );
});
