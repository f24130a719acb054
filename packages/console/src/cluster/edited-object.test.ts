import { expect, test } from 'vitest';
import { editable, isSameObject, readable } from './edited-object.ts';

const STORED = {
  apiVersion: 'fairway.dev/v1alpha1',
  kind: 'NodePool',
  metadata: { name: 'a', namespace: 'p', uid: 'u', resourceVersion: '5', labels: { team: 'x' } },
  spec: { replicas: 3 },
  status: { phase: 'Ready' },
};

test('what the server keeps for itself is not edited', () => {
  expect(editable(STORED)).toEqual({
    apiVersion: 'fairway.dev/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'a', namespace: 'p', labels: { team: 'x' } },
    spec: { replicas: 3 },
  });
  expect(readable(STORED)).toMatchObject({ status: { phase: 'Ready' } });
});

test('another name or kind is another object', () => {
  expect(isSameObject(editable(STORED), { ...editable(STORED), spec: {} })).toBe(true);
  expect(isSameObject(editable(STORED), { ...editable(STORED), metadata: { name: 'b', namespace: 'p' } })).toBe(false);
  expect(isSameObject(editable(STORED), {})).toBe(false);
});
