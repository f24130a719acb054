import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { describe, expect, test } from 'vitest';
import {
  calicoVersion,
  ciliumVersion,
  coreDnsVersion,
  hasAddons,
  kubeProxyVersion,
  metricsServerVersion,
} from './versions.ts';

describe('the kube-proxy version', () => {
  test.each([
    { version: '1.35.1', oldest: undefined, is: '1.35.1', reason: 'the cluster has no nodes' },
    { version: '1.35.1', oldest: '1.34.2', is: '1.34.2', reason: 'nodes are older' },
    { version: '1.35.1', oldest: '1.35.0', is: '1.35.0', reason: 'nodes have an older patch' },
    { version: '1.35.1', oldest: '1.35.1', is: '1.35.1', reason: 'all nodes have the same version' },
    { version: '1.35.1', oldest: '1.36.0', is: '1.35.1', reason: 'kube-proxy must not be newer than the API server' },
    { version: '1.35.1', oldest: '1.32.9', is: '1.32.9', reason: 'a skew of three minor versions is supported' },
    { version: '1.35.1', oldest: '1.31.9', is: '1.35.1', reason: 'a skew of four minor versions is not supported' },
    { version: '1.35.1', oldest: '0.1.0', is: '1.35.1', reason: 'the reported version is not plausible' },
    { version: '1.35.1', oldest: '1.34.2@sha256:0', is: '1.35.1', reason: 'the reported version is invalid' },
    { version: '1.35.1', oldest: '1.034.2', is: '1.35.1', reason: 'the reported minor has a leading zero' },
  ])('is $is for control plane $version with nodes of version $oldest: $reason', ({ version, oldest, is }) => {
    expect(kubeProxyVersion(version, oldest)).toBe(is);
  });
});

test.each(SHIPPED_RELEASES.map(({ spec }) => spec.minor))('Kubernetes %s has a version of CoreDNS', (minor) => {
  expect(hasAddons(`${minor}.0`)).toBe(true);
  expect(coreDnsVersion(`${minor}.0`)).toMatch(/^1\.1[1-4]\.\d$/);
});

test.each(SHIPPED_RELEASES)(
  "the shipped release $spec.minor leaves add-on versions to the add-ons' defaults",
  ({ spec }) => {
    const named = [spec, ...spec.patches].flatMap(({ components = {} }) => Object.keys(components));

    expect(named.filter((name) => ['coredns', 'calico', 'flannel', 'cilium', 'metrics-server'].includes(name))).toEqual(
      [],
    );
  },
);

test('CoreDNS never gets older with newer Kubernetes versions, and future versions get the newest CoreDNS', () => {
  const versions = ['1.31.0', '1.32.0', '1.33.0', '1.34.0', '1.35.0', '1.36.0', '1.37.0'].map(coreDnsVersion);

  expect(versions).toEqual(['1.11.3', '1.11.3', '1.12.0', '1.12.1', '1.13.1', '1.14.2', '1.14.2']);
});

test('Calico never gets older with newer Kubernetes versions, and future versions get the newest Calico', () => {
  const versions = ['1.31.0', '1.33.0', '1.34.0', '1.36.0', '1.37.0'].map(calicoVersion);

  expect(versions).toEqual(['3.30.7', '3.30.7', '3.31.7', '3.31.7', '3.31.7']);
});

test.each([
  { version: '1.31.0', is: '0.8.1' },
  { version: '1.33.13', is: '0.8.1' },
  { version: '1.34.0', is: '0.9.0' },
  { version: '1.37.0', is: '0.9.0' },
])('uses metrics-server $is for Kubernetes $version', ({ version, is }) => {
  expect(metricsServerVersion(version)).toBe(is);
});

test.each(['1.30.9', '1.20.2', '2.0.0', 'nonsense'])('Kubernetes %s has no add-ons', (version) => {
  expect(hasAddons(version)).toBe(false);
});

describe('Cilium', () => {
  test.each(SHIPPED_RELEASES.map(({ spec }) => spec.minor))(
    'has a release line that upstream tests with %s',
    (minor) => {
      /** From Documentation/network/kubernetes/compatibility.rst in each release line. */
      const testedVersions: Readonly<Record<string, readonly string[]>> = {
        '1.18': ['1.30', '1.31', '1.32', '1.33'],
        '1.19': ['1.32', '1.33', '1.34', '1.35'],
        '1.20': ['1.33', '1.34', '1.35', '1.36'],
      };

      expect(testedVersions[minorOf(ciliumVersion(`${minor}.0`, undefined))]).toContain(minor);
    },
  );

  test('advances one release line with each Kubernetes version, and future versions get the newest line', () => {
    const versions = ['1.31.0', '1.32.0', '1.33.0', '1.36.0', '1.37.0'].map((each) => ciliumVersion(each, undefined));

    expect(versions).toEqual(['1.18.14', '1.19.8', '1.20.2', '1.20.2', '1.20.2']);
  });

  test.each([
    { version: '1.31.2', named: '1.18.13', is: '1.18.13', reason: 'it has the same release line' },
    {
      version: '1.32.2',
      named: '1.18.13',
      is: '1.19.8',
      reason: 'an upgrade from 1.18 to 1.20 for Kubernetes 1.33 would skip a line',
    },
    { version: '1.33.2', named: '1.20.9', is: '1.20.9', reason: 'it is a later patch' },
    { version: '1.33.2', named: '1.21.0', is: '1.21.0', reason: 'it has a later release line' },
    { version: '1.36.2', named: '1.21.0-rc.1', is: '1.21.0-rc.1', reason: 'an operator may specify a pre-release' },
    { version: '1.36.2', named: '1.17.18', is: '1.20.2', reason: 'its objects are unknown' },
  ])('has version $is for Kubernetes $version if the operator specifies $named: $reason', ({ version, named, is }) => {
    expect(ciliumVersion(version, named)).toBe(is);
  });
});
