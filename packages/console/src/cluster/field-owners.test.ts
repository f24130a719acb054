import { expect, test } from 'vitest';
import { ownersOf } from './field-owners.ts';

const FIELDS = [
  { manager: 'argocd', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:flavor': {} } } },
  { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } } },
  { manager: 'fairway-console', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
  { manager: 'fairway', operation: 'Update', subresource: 'status', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
].map((entry) => ({
  apiVersion: 'fairway.dev/v1alpha1',
  fieldsType: 'FieldsV1',
  time: '2026-11-26T10:00:00Z',
  ...entry,
}));

test.each([
  { path: ['spec', 'replicas'], expected: [{ field: 'spec.replicas', manager: 'argocd', isApplied: true }] },
  {
    path: ['spec', 'template', 'spec', 'taints'],
    expected: [{ field: 'spec.template.spec.taints', manager: 'kubectl-edit', isApplied: false }],
  },
  { path: ['spec', 'maxReplicas'], expected: [] },
  { path: ['metadata', 'labels'], expected: [] },
])('finds $expected.length other owners of $path', ({ path, expected }) => {
  expect(ownersOf(FIELDS as never, [path], 'fairway-console')).toEqual(expected);
});
