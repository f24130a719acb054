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

test('ignores conditions that have their normal status', () => {
  const healthyCluster = cluster(
    condition('Ready', 'True', 'AsExpected', ''),
    condition('NetworkReady', 'True', 'AsExpected', ''),
  );

  expect(findingsOf(healthyCluster, [], [])).toEqual([]);
});

test('reports a cause once, at its object, and not again in the summary conditions', () => {
  const quotaMessage = 'quota of cores: 40 of 40 in use';
  const findings = findingsOf(
    cluster(
      condition('Ready', 'False', 'QuotaExceeded', quotaMessage),
      condition('NodePoolsReady', 'False', 'QuotaExceeded', quotaMessage),
    ),
    [pool(condition('UpToDate', 'False', 'QuotaExceeded', quotaMessage))],
    [],
  );

  expect(findings).toMatchObject([{ type: 'UpToDate', about: 'demo-general', turn: 'user' }]);
});

test('lists findings by who must act; conditions that are bad while True count too', () => {
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
