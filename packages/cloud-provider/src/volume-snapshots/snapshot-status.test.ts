import { describe, expect, test } from 'vitest';
import { contentStatus, failedStatus, snapshotStatus } from './snapshot-status.ts';
import { aContent, aSnapshot } from './testing/objects.ts';

const GIB = 2 ** 30;
const cinder = {
  id: 'two',
  status: 'available',
  size: 5,
  volume_id: 'one',
  metadata: {},
  created_at: '2026-11-25T18:30:15.678901',
};
const CREATED_NS = Date.UTC(2026, 10, 25, 18, 30, 15) * 1e6;

describe('a VolumeSnapshotContent', () => {
  test.each([
    { created_at: '2026-11-25T18:30:15.678901', creationTime: CREATED_NS },
    { created_at: '2026-11-25T18:30:15Z', creationTime: CREATED_NS },
    { created_at: '2026-11-25T19:30:15+01:00', creationTime: CREATED_NS },
  ])(
    'reports $creationTime, in exact nanoseconds, for a snapshot created at $created_at',
    ({ created_at, creationTime }) => {
      const status = contentStatus(aContent(), { ...cinder, created_at });

      expect(status).toEqual({ snapshotHandle: 'two', creationTime, readyToUse: true, restoreSize: 5 * GIB });
      expect(BigInt(creationTime) % 1_000_000_000n).toBe(0n);
    },
  );

  test('is written only once', () => {
    const status = { snapshotHandle: 'two', creationTime: CREATED_NS, readyToUse: true, restoreSize: 5 * GIB };

    expect(contentStatus(aContent({}, { status }), cinder)).toBeUndefined();
    expect(contentStatus(aContent({}, { status }), { ...cinder, status: 'error' })).toMatchObject({
      readyToUse: false,
    });
  });

  test('has its error removed once it is ready', () => {
    const status = { readyToUse: false, error: { message: 'm', time: 't' } };

    expect(contentStatus(aContent({}, { status }), cinder)).toMatchObject({ readyToUse: true, error: null });
  });
});

describe('a VolumeSnapshot', () => {
  test.each([
    { expectedMessage: undefined, status: { readyToUse: false } },
    {
      expectedMessage: { readyToUse: true, restoreSize: 5 * GIB, creationTime: CREATED_NS, snapshotHandle: 'two' },
      status: { readyToUse: true, restoreSize: '5Gi', creationTime: '2026-11-25T18:30:15Z' },
    },
    { expectedMessage: { readyToUse: true, restoreSize: 1000 }, status: { readyToUse: true, restoreSize: '1000' } },
    { expectedMessage: { error: { message: 'm' } }, status: { readyToUse: false, error: { message: 'm' } } },
  ])('mirrors its content: $expectedMessage', ({ expectedMessage, status }) => {
    const content = aContent({}, expectedMessage && { status: expectedMessage });
    const desired = { boundVolumeSnapshotContentName: 'kept', ...status };

    expect(snapshotStatus(aSnapshot(), content)).toEqual(desired);
    expect(snapshotStatus({ ...aSnapshot(), status: desired }, content)).toBeUndefined();
  });

  test('drops fields that its content no longer reports', () => {
    const snapshot = { ...aSnapshot(), status: { restoreSize: '5Gi', error: { message: 'm' } } };

    expect(snapshotStatus(snapshot, aContent())).toEqual({
      boundVolumeSnapshotContentName: 'kept',
      readyToUse: false,
      restoreSize: null,
      error: null,
    });
  });

  test('reports a failure once', () => {
    const status = failedStatus(aSnapshot(), 'm', 0);

    expect(status).toEqual({ readyToUse: false, error: { message: 'm', time: '1970-01-01T00:00:00Z' } });
    const current = { readyToUse: false, error: { message: 'm', time: 'before' } };
    expect(failedStatus({ ...aSnapshot(), status: current }, 'm', 1)).toBeUndefined();
  });
});
