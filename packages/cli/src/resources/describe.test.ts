import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { describe } from './describe.ts';

const NOW_MS = Date.UTC(2026, 0, 2);

test('shows spec, conditions with ages, the last operation and events', () => {
  const cluster = {
    ...aCluster({ plan: 'free' }, { name: 'demo', namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' }),
    status: {
      phase: 'Ready' as const,
      conditions: [
        {
          type: 'Ready',
          status: 'True' as const,
          reason: 'AsExpected',
          message: 'a\nb',
          lastTransitionTime: '2026-01-01T23:00:00Z',
        },
        {
          type: 'Paused',
          status: 'Unknown' as const,
          reason: 'New',
          message: '',
          lastTransitionTime: '1970-01-01T00:00:00Z',
        },
      ],
      lastOperation: {
        type: 'Scale' as const,
        state: 'Processing' as const,
        progress: 40,
        description: 'two of five',
        lastUpdateTime: '2026-01-01T23:59:00Z',
      },
    },
  };
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Cluster', name: 'demo' },
    type: 'Normal',
    reason: 'Scaled',
    message: '\u001b[2Jtext',
    lastTimestamp: '2026-01-01T23:58:00Z',
  };
  const text = describe(cluster, [event], NOW_MS);

  expect(text).toMatch(/^Name: +demo\nNamespace: +ns\n/);
  expect(text).toMatch(/^Age: +24h$/m);
  expect(text).toMatch(/^Spec:\n(.*\n)*  plan: free$/m);
  expect(text).toMatch(/^Status:\n  phase: Ready$/m);
  expect(text).toMatch(/^  Ready +True +AsExpected +60m +a b$/m);
  expect(text).toMatch(/^  Paused +Unknown +New {2,}$/m);
  expect(text).toMatch(/^  State: +Processing, 40 %$/m);
  expect(text).toMatch(/^  2m +Normal +Scaled +cluster\/demo +\^\[\[2Jtext$/m);
});

test('shows “none” for sections without content', () => {
  const text = describe(aCluster({}, { name: 'demo' }), [], NOW_MS);

  for (const title of ['Status', 'Conditions', 'Last operation', 'Events'])
    expect(text).toContain(`\n${title}: none\n`);
  expect(text).toMatch(/^Labels: +none$/m);
});
