import type { Machine } from '@fairway/api/kinds/machine';
import { NEVER_ROTATED } from '@fairway/control-plane/pki/rotation-record';
import { expect, test } from 'vitest';
import { renewedMachines } from './cluster-ca.ts';

const TIME = '2026-01-01T00:00:00Z';

function machine(authorityGeneration: number, isKept = false): Machine {
  const kept = { type: 'KeptForInspection', status: 'True' as const, reason: 'KeptForInspection', message: '' };
  return {
    metadata: { name: 'a', ...(isKept && { deletionTimestamp: TIME }) },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'f',
      image: 'i',
      version: '1.34.2',
      floatingIP: false,
      authorityGeneration,
    },
    status: isKept ? { conditions: [{ ...kept, lastTransitionTime: TIME }] } : {},
  };
}

test('a rotation does not wait for servers that are kept for inspection', () => {
  const rotation = { ...NEVER_ROTATED, stage: 'Renewing' as const, generation: 1 };

  expect(renewedMachines([machine(1), machine(0, true)], { rotation })).toEqual({ total: 1, renewed: 1 });
  expect(renewedMachines([machine(1), machine(0)], { rotation })).toEqual({ total: 2, renewed: 1 });
});
