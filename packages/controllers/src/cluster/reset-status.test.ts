import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { statusOfBefore } from './reset-status.ts';

const NOW = '2026-06-01T12:00:00Z';
const reset = {
  requestedAt: NOW,
  phase: 'EmptyingControlPlane',
  since: NOW,
  nodes: 'Delete',
  version: '1.50.0',
} as const;
const status: ClusterStatus = {
  version: '1.51.0',
  desiredVersion: '1.51.0',
  caCertificate: 'PEM',
  endpoint: { host: '192.0.2.1', port: 6443 },
  addons: [],
  reset,
};

test('what was said of the former cluster is forgotten when its control plane is empty, and where it is reached is not', () => {
  const { endpoint } = status;
  const begun = { ...reset, phase: 'Starting', emptiedTime: NOW } as const;

  expect(statusOfBefore(status, { reset: begun, problem: undefined })).toEqual({
    desiredVersion: '1.50.0',
    endpoint,
    reset,
  });
});

test('nothing is forgotten before, and nothing once more', () => {
  const begun = { ...reset, phase: 'Starting', emptiedTime: NOW } as const;

  expect(statusOfBefore(status, { reset, problem: undefined })).toBe(status);
  const after = { ...status, reset: begun };
  expect(statusOfBefore(after, { reset: { ...begun, phase: 'Complete' }, problem: undefined })).toBe(after);
});
