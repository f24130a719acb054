import { expect, test } from 'vitest';
import { editableObject, isSameObject, readableMetadata } from './edited-object.ts';

const STORED = {
  apiVersion: 'fairway.dev/v1alpha1',
  kind: 'NodePool',
  metadata: { name: 'a', namespace: 'p', uid: 'u', resourceVersion: '5', labels: { team: 'x' } },
  spec: { replicas: 3 },
  status: { phase: 'Ready' },
};

test('omits the fields that the server manages', () => {
  expect(editableObject(STORED)).toEqual({
    apiVersion: 'fairway.dev/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'a', namespace: 'p', labels: { team: 'x' } },
    spec: { replicas: 3 },
  });
  expect(readableMetadata(STORED)).toMatchObject({ status: { phase: 'Ready' } });
});

test('treats a different name or kind as a different object', () => {
  expect(isSameObject(editableObject(STORED), { ...editableObject(STORED), spec: {} })).toBe(true);
  expect(
    isSameObject(editableObject(STORED), { ...editableObject(STORED), metadata: { name: 'b', namespace: 'p' } }),
  ).toBe(false);
  expect(isSameObject(editableObject(STORED), {})).toBe(false);
});
