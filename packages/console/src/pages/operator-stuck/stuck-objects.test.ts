import type { Machine } from '@fairway/api/kinds/machine';
import type { Condition } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { stuckObjectOf } from './stuck-objects.ts';

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

describe('a stuck object', () => {
  test.each([
    {
      name: 'a healthy object',
      status: { conditions: [condition('Ready', 'True')], lastOperation: operation('Succeeded') },
    },
    {
      name: 'an advisory condition',
      status: { conditions: [condition('VersionSupported', 'False', 'VersionDeprecated')] },
    },
    {
      name: 'a patch that the user has postponed',
      status: { conditions: [condition('UpToDate', 'False', 'UpdateAvailable')] },
    },
    { name: 'a requested hibernation', status: { conditions: [condition('Ready', 'False', 'Hibernated')] } },
    {
      name: 'a credential that does not expire soon',
      status: { conditions: [condition('CredentialExpiresSoon', 'False')] },
    },
  ])('does not include $name', ({ status }) => {
    expect(stuckObjectOf('Machine', machine(status))).toBeUndefined();
  });

  test('is described by its Ready condition, with the time and who must act', () => {
    const status = {
      conditions: [
        condition('ServerReady', 'False', 'FlavorOutOfStock', '2026-01-01T00:10:00Z'),
        condition('Ready', 'False', 'FlavorOutOfStock'),
      ],
    };

    expect(stuckObjectOf('Machine', machine(status, { 'fairway.dev/paused': 'true' }))).toEqual({
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

  test('is described by a running operation, with the operation’s start as its time', () => {
    const status = {
      conditions: [condition('Ready', 'False', 'WaitingForNode')],
      lastOperation: operation('Processing'),
    };

    expect(stuckObjectOf('Machine', machine(status))).toMatchObject({
      sinceMs: Date.parse('2026-01-01T00:30:00Z'),
      operation: { type: 'Create', progress: 40 },
      turn: 'fairway',
    });
  });

  test('is described by the oldest condition besides Ready', () => {
    const status = {
      conditions: [
        condition('Ready', 'True'),
        condition('SnapshotsReady', 'False', 'SnapshotFailed', '2026-01-01T03:00:00Z'),
        condition('CloudReachable', 'False', 'CloudUnavailable', '2026-01-01T02:00:00Z'),
      ],
    };

    expect(stuckObjectOf('Machine', machine(status))).toMatchObject({ condition: 'CloudReachable', turn: 'cloud' });
  });

  test('never begins before the object was created', () => {
    const status = { conditions: [condition('Ready', 'Unknown', 'Provisioning', '1970-01-01T00:00:00Z')] };

    expect(stuckObjectOf('Machine', machine(status))?.sinceMs).toBe(Date.parse(CREATED));
  });
});
