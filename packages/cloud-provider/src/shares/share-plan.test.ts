import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import { aClaim, aClass } from '../volumes/testing/objects.ts';
import { SHARE_DRIVER } from './driver.ts';
import { accessLevel, planShare } from './share-plan.ts';

const offer = { zones: ['nova', 'az2'], types: new Set(['default', 'fast', 'id-of-fast']) };

function plan(spec: Partial<PersistentVolumeClaim['spec']> = {}, fields: Partial<StorageClass> = {}) {
  return planShare(aClaim(spec), aClass({ provisioner: SHARE_DRIVER, ...fields }, 'shared'), offer);
}

const claimWithSize = (storage: string, limit?: string) => ({
  resources: { requests: { storage }, ...(limit && { limits: { storage: limit } }) },
});

describe('a claim', () => {
  test.each([
    { spec: claimWithSize('5Gi'), request: { size: 5 } },
    { spec: claimWithSize('1500Mi'), request: { size: 2 } },
    { spec: { accessModes: ['ReadWriteMany'] }, request: { size: 5 } },
    { spec: {}, parameters: { type: 'id-of-fast' }, request: { size: 5, share_type: 'id-of-fast' } },
    { spec: {}, parameters: { availability: 'az2' }, request: { size: 5, availability_zone: 'az2' } },
    { spec: {}, parameters: { shareNetworkID: 'net' }, request: { size: 5, share_network_id: 'net' } },
    {
      spec: {},
      parameters: { 'nfs-shareClient': '10.0.0.0/8', appendShareMetadata: '{"a": "b"}' },
      request: { size: 5, metadata: { a: 'b', 'fairway.dev/share-client': '10.0.0.0/8' } },
    },
  ])('gets $request for $spec and $parameters', ({ spec, parameters = {}, request }) => {
    const desired = { share_proto: 'NFS', metadata: {}, ...request };
    expect(plan(spec, { parameters })).toEqual({ kind: 'create', request: desired });
  });

  test.each([
    { spec: { volumeMode: 'Block' }, says: /share is a file system/ },
    { spec: { accessModes: ['ReadWriteOncePod'] }, says: /only for CSI volumes/ },
    { spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } }, says: /shares are created empty/ },
    { spec: { dataSourceRef: { kind: 'VolumeSnapshot', name: 'a' } }, says: /is VolumeSnapshot a: shares are created/ },
    { spec: { selector: {} }, says: /spec.selector/ },
    { spec: { volumeAttributesClassName: 'gold' }, says: /manila.csi.openstack.org cannot modify/ },
    { spec: claimWithSize('3Gi', '2Gi'), says: /whole GiB/ },
    { spec: claimWithSize('10Ei'), says: /not a valid volume size/ },
    { parameters: { type: 'slow' }, says: /StorageClass shared: parameter "type" is "slow", but Manila has no/ },
    { parameters: { availability: 'mars' }, says: /Manila has nova, az2/ },
    { parameters: { groupID: 'x' }, says: /StorageClass shared: parameter "groupID"/ },
  ])('is refused for $spec and $parameters', ({ spec = {}, parameters = {}, says }) => {
    expect(plan(spec as Partial<PersistentVolumeClaim['spec']>, { parameters })).toEqual({
      kind: 'refuse',
      message: expect.stringMatching(says),
    });
  });

  test('is refused for a class with topologies', () => {
    expect(plan({}, { allowedTopologies: [{}] })).toMatchObject({ message: expect.stringMatching(/every zone/) });
  });
});

test.each([
  { modes: undefined, level: 'rw' },
  { modes: [], level: 'rw' },
  { modes: ['ReadWriteMany'], level: 'rw' },
  { modes: ['ReadOnlyMany'], level: 'ro' },
  { modes: ['ReadOnlyMany', 'ReadWriteOnce'], level: 'rw' },
])('gives nodes access level $level for the access modes $modes', ({ modes, level }) => {
  expect(accessLevel(modes)).toBe(level);
});
