import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { statusAfterReset } from './reset-status.ts';

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

test('statusAfterReset drops the state of the previous cluster once its control plane is empty, and keeps its endpoint', () => {
  const { endpoint } = status;
  const startingReset = { ...reset, phase: 'Starting', emptiedTime: NOW } as const;

  expect(statusAfterReset(status, { reset: startingReset, problem: undefined })).toEqual({
    desiredVersion: '1.50.0',
    endpoint,
    reset,
  });
});

test('statusAfterReset drops nothing before the control plane is empty, and does so only once', () => {
  const startingReset = { ...reset, phase: 'Starting', emptiedTime: NOW } as const;

  expect(statusAfterReset(status, { reset, problem: undefined })).toBe(status);
  const after = { ...status, reset: startingReset };
  expect(statusAfterReset(after, { reset: { ...startingReset, phase: 'Complete' }, problem: undefined })).toBe(after);
});
