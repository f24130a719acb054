import { CLUSTER_LABEL, CLUSTER_UID_LABEL, MISSING_SINCE_ANNOTATION, PAUSED_ANNOTATION } from '@fairway/api/group';
import type { KubeObject } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import { recordOf } from './missing-clusters.ts';
import { missingStep } from './missing-step.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const GRACE_MS = 600_000;

function caSecret(
  annotations: Record<string, string> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'roots',
      uid: 'secret-uid',
      labels: { [CLUSTER_UID_LABEL]: 'cluster-uid' },
      annotations: { [CLUSTER_LABEL]: 'tenant/c1', ...annotations },
      ...metadata,
    },
  };
}

function since(time: string): Record<string, string> {
  return { [MISSING_SINCE_ANNOTATION]: time };
}

test.each([
  { what: 'not found missing before', secret: caSecret(), step: { action: 'mark', waitMs: GRACE_MS } },
  { what: 'an unreadable time', secret: caSecret(since('yesterday')), step: { action: 'mark', waitMs: GRACE_MS } },
  {
    what: 'missing for 4 minutes',
    secret: caSecret(since('2026-05-01T11:56:00Z')),
    step: { action: 'wait', waitMs: 360_000 },
  },
  {
    what: 'a clock that was set back',
    secret: caSecret(since('2026-05-02T12:00:00Z')),
    step: { action: 'wait', waitMs: GRACE_MS },
  },
  { what: 'missing for 10 minutes', secret: caSecret(since('2026-05-01T11:50:00Z')), step: { action: 'delete' } },
  {
    what: 'missing for a day and paused',
    secret: caSecret({ ...since('2026-04-30T12:00:00Z'), [PAUSED_ANNOTATION]: 'true' }),
    step: { action: 'hold' },
  },
  {
    what: 'missing for a day and restored from a backup',
    secret: caSecret(since('2026-04-30T12:00:00Z'), {
      managedFields: [{ manager: 'fairway-restore', operation: 'Apply' }],
    }),
    step: { action: 'hold' },
  },
])('a CA Secret without a Cluster, $what: $step.action', ({ secret, step }) => {
  const record = recordOf(secret);

  expect(record && missingStep(record, NOW, GRACE_MS)).toEqual(step);
});

test.each([
  { what: 'without the label', secret: caSecret({}, { labels: {} }) },
  { what: 'without the name of its Cluster', secret: caSecret({}, { annotations: {} }) },
])('a Secret $what belongs to no cluster', ({ secret }) => {
  expect(recordOf(secret)).toBeUndefined();
});
