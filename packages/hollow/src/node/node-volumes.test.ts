import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import { expect, it } from 'vitest';
import { grownStatus } from './node-volumes.ts';

const PENDING = { type: 'FileSystemResizePending', status: 'True' };
const OTHER = { type: 'ModifyingVolume', status: 'True' };

function claim(storage: string, conditions: object[]): PersistentVolumeClaim {
  return { metadata: {}, spec: {}, status: { capacity: { storage }, conditions } } as PersistentVolumeClaim;
}

const volume = (storage: string) => ({ metadata: {}, spec: { capacity: { storage } } }) as PersistentVolume;

it.each([
  { reason: 'is as large as its volume', has: '5Gi', size: '8Gi', conditions: [PENDING], is: '8Gi' },
  { reason: 'keeps other conditions', has: '5Gi', size: '8Gi', conditions: [PENDING, OTHER], is: '8Gi' },
  { reason: 'has already grown', has: '8Gi', size: '8Gi', conditions: [PENDING], is: undefined },
  { reason: 'has no pending growth', has: '5Gi', size: '8Gi', conditions: [OTHER], is: undefined },
])('a file system in use $reason', ({ has, size, conditions, is }) => {
  const status = grownStatus(claim(has, conditions), volume(size));

  expect(status?.capacity?.['storage']).toBe(is);
  expect(status?.conditions ?? []).toEqual(is === undefined ? [] : conditions.filter((each) => each !== PENDING));
});
