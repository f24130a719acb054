import type { Machine } from '@fairway/api/kinds/machine';
import type { Condition } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { troubleOf } from './trouble.ts';

const CREATED = '2026-01-01T00:00:00Z';

function condition(
  type: string,
  status: Condition['status'],
  reason = 'AsExpected',
  at = '2026-01-01T01:00:00Z',
): Condition {
  return { type, status, reason, message: `${type} is ${status}`, lastTransitionTime: at };
}

function machine(status: Partial<NonNullable<Machine['status']>>, annotations: Record<string, string> = {}): Machine {
  return {
    apiVersion: 'fairway.dev/v1alpha1',
    kind: 'Machine',
    metadata: { namespace: 'team', name: 'm', uid: 'u', creationTimestamp: CREATED, annotations },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'b3-8',
      image: 'i',
      version: '1.36.3',
      floatingIP: false,
    },
    status,
  };
}

const operation = (state: 'Processing' | 'Succeeded') => ({
  type: 'Create' as const,
  state,
  progress: 40,
  description: 'waits for the node',
  startTime: '2026-01-01T00:30:00Z',
  lastUpdateTime: '2026-01-01T02:00:00Z',
});

describe('what is the matter', () => {
  test.each([
    { name: 'nothing is', status: { conditions: [condition('Ready', 'True')], lastOperation: operation('Succeeded') } },
    { name: 'advice is none', status: { conditions: [condition('VersionSupported', 'False', 'VersionDeprecated')] } },
    {
      name: 'a patch that the user leaves',
      status: { conditions: [condition('UpToDate', 'False', 'UpdateAvailable')] },
    },
    { name: 'it is asleep, as asked for', status: { conditions: [condition('Ready', 'False', 'Hibernated')] } },
    { name: 'a credential that lasts', status: { conditions: [condition('CredentialExpiresSoon', 'False')] } },
  ])('nothing: $name', ({ status }) => {
    expect(troubleOf('Machine', machine(status))).toBeUndefined();
  });

  test('is told by Ready, since when it is, and whose turn it is', () => {
    const status = {
      conditions: [
        condition('ServerReady', 'False', 'FlavorOutOfStock', '2026-01-01T00:10:00Z'),
        condition('Ready', 'False', 'FlavorOutOfStock'),
      ],
    };

    expect(troubleOf('Machine', machine(status, { 'fairway.dev/paused': 'true' }))).toEqual({
      kind: 'Machine',
      metadata: { name: 'Machine/team/m' },
      namespace: 'team',
      name: 'm',
      uid: 'u',
      cluster: 'demo',
      sinceMs: Date.parse('2026-01-01T01:00:00Z'),
      condition: 'Ready',
      reason: 'FlavorOutOfStock',
      message: 'Ready is False',
      turn: 'cloud',
      operation: undefined,
      isPaused: true,
    });
  });

  test('is an operation that has not ended, since it began', () => {
    const status = {
      conditions: [condition('Ready', 'False', 'WaitingForNode')],
      lastOperation: operation('Processing'),
    };

    expect(troubleOf('Machine', machine(status))).toMatchObject({
      sinceMs: Date.parse('2026-01-01T00:30:00Z'),
      operation: { type: 'Create', progress: 40 },
      turn: 'fairway',
    });
  });

  test('of what stands beside Ready, the oldest', () => {
    const status = {
      conditions: [
        condition('Ready', 'True'),
        condition('SnapshotsReady', 'False', 'SnapshotFailed', '2026-01-01T03:00:00Z'),
        condition('CloudReachable', 'False', 'CloudUnavailable', '2026-01-01T02:00:00Z'),
      ],
    };

    expect(troubleOf('Machine', machine(status))).toMatchObject({ condition: 'CloudReachable', turn: 'cloud' });
  });

  test('does not begin before the object did', () => {
    const status = { conditions: [condition('Ready', 'Unknown', 'Provisioning', '1970-01-01T00:00:00Z')] };

    expect(troubleOf('Machine', machine(status))?.sinceMs).toBe(Date.parse(CREATED));
  });
});
