import { describe, expect, test } from 'vitest';
import { snapshotMetadata } from './snapshot-parameters.ts';

const NAME = 'csi.storage.k8s.io/volumesnapshot/name';

describe('parameters of a VolumeSnapshotClass', () => {
  test('are written in addition to the marks', () => {
    const parameters = { [NAME]: 'daily', 'force-create': 'true', type: 'snapshot' };
    expect(snapshotMetadata(parameters)).toEqual({ [NAME]: 'daily' });
  });

  test.each([
    { parameters: { type: 'backup' }, reported: /"type" is "backup", but only Cinder snapshots are supported/ },
    { parameters: { 'force-create': 'yes' }, reported: /neither true nor false/ },
    { parameters: { availability: 'a' }, reported: /"availability" is unknown: use type, force-create/ },
    { parameters: { [NAME]: 'x'.repeat(256) }, reported: /longer than 255/ },
  ])('are refused: $parameters', ({ parameters, reported }) => {
    expect(() => snapshotMetadata(parameters as unknown as Record<string, string>)).toThrow(reported);
  });
});
