import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Condition } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import { findingsOf } from './findings.ts';

function condition(type: string, status: Condition['status'], reason: string, message: string): Condition {
  return { type, status, reason, message, lastTransitionTime: '2026-11-26T10:00:00Z' };
}

function cluster(...conditions: readonly Condition[]): Cluster {
  return { metadata: { name: 'demo' }, spec: {}, status: { conditions } } as unknown as Cluster;
}

function pool(...conditions: readonly Condition[]): NodePool {
  return { metadata: { name: 'demo-general' }, spec: {}, status: { conditions } } as unknown as NodePool;
}

test('what is as expected is no finding', () => {
  const fine = cluster(
    condition('Ready', 'True', 'AsExpected', ''),
    condition('NetworkReady', 'True', 'AsExpected', ''),
  );

  expect(findingsOf(fine, [], [])).toEqual([]);
});

test('a cause is told once, where it is, and not again by what sums it up', () => {
  const told = 'quota of cores: 40 of 40 in use';
  const findings = findingsOf(
    cluster(
      condition('Ready', 'False', 'QuotaExceeded', told),
      condition('NodePoolsReady', 'False', 'QuotaExceeded', told),
    ),
    [pool(condition('UpToDate', 'False', 'QuotaExceeded', told))],
    [],
  );

  expect(findings).toMatchObject([{ type: 'UpToDate', about: 'demo-general', turn: 'user' }]);
});

test('who has to act comes first; what is bad while True counts too', () => {
  const findings = findingsOf(
    cluster(
      condition('ControlPlaneReady', 'False', 'Provisioning', 'is being started'),
      condition('CredentialExpiresSoon', 'True', 'CredentialExpiresSoon', 'expires tomorrow'),
      condition('CloudReachable', 'False', 'CloudUnavailable', 'Nova answers 503'),
    ),
    [],
    [],
  );

  expect(findings.map(({ turn }) => turn)).toEqual(['user', 'cloud', 'fairway']);
});
