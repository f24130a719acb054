import { storageLimits } from '@fairway/api/domain/plan-storage';
import { describe, expect, test } from 'vitest';
import { DRIVER, PROVISIONER_ANNOTATIONS, SELECTED_NODE, ZONE_KEY } from './driver.ts';
import { aClaim, aClass } from './testing/objects.ts';
import { type ClusterFacts, isToProvision, planVolume, type StorageOffer } from './volume-plan.ts';

/** As Cinder's ids are. */
const TYPE_ID = '22222222-2222-4222-8222-222222222222';
const OFFER: StorageOffer = {
  volumeZones: ['az1', 'az2', 'ceph'],
  computeZones: ['az1', 'az2'],
  volumeTypes: new Set([TYPE_ID, 'shared', 'fast']),
  multiattachTypes: new Set([TYPE_ID, 'shared']),
};
const CLUSTER: ClusterFacts = {
  selectedNode: { [ZONE_KEY]: 'az2' },
  nodeZones: ['az1', 'az2', 'az1'],
  limits: storageLimits({}),
};
const DELAYED = { volumeBindingMode: 'WaitForFirstConsumer' };
const ASKED = { annotations: { [PROVISIONER_ANNOTATIONS[0]]: DRIVER } };

describe('a claim', () => {
  test.each([
    { reason: 'of the driver', claim: aClaim({}, ASKED), of: aClass(), is: true },
    {
      reason: 'by the name of before 1.23',
      claim: aClaim({}, { annotations: { [PROVISIONER_ANNOTATIONS[1]]: DRIVER } }),
      of: aClass(),
      is: true,
    },
    { reason: 'that Kubernetes has not asked for yet', claim: aClaim(), of: aClass(), is: false },
    {
      reason: 'of a class of the in-tree plugin',
      claim: aClaim({}, { annotations: { 'volume.kubernetes.io/storage-provisioner': 'kubernetes.io/cinder' } }),
      of: aClass({ provisioner: 'kubernetes.io/cinder' }),
      is: true,
    },
    {
      reason: 'of such a class, asked of its driver',
      claim: aClaim({}, ASKED),
      of: aClass({ provisioner: 'kubernetes.io/cinder' }),
      is: true,
    },
    { reason: "of another's class", claim: aClaim({}, ASKED), of: aClass({ provisioner: 'other' }), is: false },
    { reason: 'without a class', claim: aClaim({}, ASKED), of: undefined, is: false },
    { reason: 'that is bound', claim: aClaim({ volumeName: 'x' }, ASKED), of: aClass(), is: false },
    { reason: 'that goes', claim: aClaim({}, { ...ASKED, deletionTimestamp: 'now' }), of: aClass(), is: false },
    { reason: 'that waits for a pod', claim: aClaim({}, ASKED), of: aClass(DELAYED), is: false },
    {
      reason: 'whose pod has a node',
      claim: aClaim({}, { annotations: { ...ASKED.annotations, [SELECTED_NODE]: 'n' } }),
      of: aClass(DELAYED),
      is: true,
    },
  ])('$reason is provisioned: $is', ({ claim, of, is }) => {
    expect(isToProvision(claim, of)).toBe(is);
  });
});

describe('the volume of a claim', () => {
  test.each([
    {
      reason: 'of the default type, where its pod runs',
      claim: aClaim(),
      of: aClass(DELAYED),
      volume: { request: { size: 5, availability_zone: 'az2' }, fsType: 'ext4', zone: 'az2' },
    },
    {
      reason: 'of a type, as a raw block device',
      claim: aClaim({ volumeMode: 'Block' }),
      of: aClass({ ...DELAYED, parameters: { type: 'fast' } }),
      volume: { request: { size: 5, volume_type: 'fast', availability_zone: 'az2' }, fsType: undefined, zone: 'az2' },
    },
    {
      reason: 'in a zone of its own, which servers of all zones reach',
      claim: aClaim(),
      of: aClass({ ...DELAYED, parameters: { availability: 'ceph' } }),
      volume: { request: { size: 5, availability_zone: 'ceph' }, fsType: 'ext4', zone: undefined },
    },
    {
      reason: 'in the only zone that the class allows',
      claim: aClaim({}, { uid: 'any' }),
      of: aClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_KEY, values: ['az1'] }] }] }),
      volume: { request: { size: 5, availability_zone: 'az1' }, fsType: 'ext4', zone: 'az1' },
    },
    {
      reason: 'for several servers, of a type that can',
      claim: aClaim({ accessModes: ['ReadWriteMany'], volumeMode: 'Block' }),
      of: aClass({ ...DELAYED, parameters: { type: 'shared' } }),
      volume: { request: { size: 5, volume_type: 'shared', availability_zone: 'az2' }, fsType: undefined, zone: 'az2' },
    },
  ])('is $reason', ({ claim, of, volume }) => {
    expect(planVolume(claim, of, CLUSTER, OFFER)).toEqual({ kind: 'create', volume });
  });

  test('is anywhere in a cloud whose volume zones differ', () => {
    const plan = planVolume(aClaim(), aClass(DELAYED), CLUSTER, { ...OFFER, volumeZones: ['nova'] });

    expect(plan).toEqual({ kind: 'create', volume: { request: { size: 5 }, fsType: 'ext4', zone: undefined } });
  });

  describe('in zones whose names are not valid labels', () => {
    const named = { ...OFFER, volumeZones: ['AZ 1', 'Zürich', 'az2'], computeZones: ['AZ 1', 'Zürich', 'az2'] };
    const at = (label: string, how: Partial<StorageOffer> = {}, of = aClass(DELAYED)) =>
      planVolume(aClaim(), of, { ...CLUSTER, selectedNode: { [ZONE_KEY]: label } }, { ...named, ...how });

    test.each([
      { label: 'AZ-1', zone: 'AZ 1' },
      { label: 'Z-rich', zone: 'Zürich' },
    ])('is created in $zone for a node labelled $label', ({ label, zone }) => {
      const volume = { request: { size: 5, availability_zone: zone }, fsType: 'ext4', zone: label };
      expect(at(label)).toEqual({ kind: 'create', volume });
    });

    test('has the label of the zone that the class names as topology', () => {
      const of = aClass({ ...DELAYED, parameters: { availability: 'AZ 1' } });
      const volume = { request: { size: 5, availability_zone: 'AZ 1' }, fsType: 'ext4', zone: 'AZ-1' };
      expect(at('AZ-1', {}, of)).toEqual({ kind: 'create', volume });
    });

    test.each(['AZ-1', 'AZ 1'])('is where the class allows %s', (allowed) => {
      const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE_KEY, values: [allowed] }] }];
      const volume = { request: { size: 5, availability_zone: 'AZ 1' }, fsType: 'ext4', zone: 'AZ-1' };
      expect(at('AZ-1', {}, aClass({ ...DELAYED, allowedTopologies }))).toEqual({ kind: 'create', volume });
      expect(at('az2', {}, aClass({ ...DELAYED, allowedTopologies }))).toMatchObject({ kind: 'reschedule' });
    });

    test.each([
      { reason: 'two of Cinder', how: { volumeZones: ['AZ 1', 'AZ-1'] } },
      { reason: 'one of Nova alone', how: { computeZones: ['AZ-1', 'AZ 1'] } },
    ])('is refused if labels collide: $reason', ({ how }) => {
      expect(at('AZ-1', how)).toMatchObject({
        kind: 'refuse',
        message: expect.stringMatching(/the zones "AZ.1" and "AZ.1" have the same label "AZ-1"/),
      });
    });

    test('prefers zones that labels distinguish', () => {
      const cluster = { ...CLUSTER, nodeZones: ['AZ-1', 'az2'] };
      const offer = { ...named, volumeZones: ['AZ 1', 'AZ-1', 'az2'] };
      expect(planVolume(aClaim(), aClass(), cluster, offer)).toMatchObject({ volume: { zone: 'az2' } });
    });
  });

  test('is in one of the zones of the nodes, the same each time', () => {
    const zones = Array.from({ length: 40 }, (_, index) => {
      const claim = aClaim({}, { uid: `uid-${index}` });
      const plans = [CLUSTER, { ...CLUSTER, nodeZones: ['az2', 'az1'] }].map((facts) =>
        planVolume(claim, aClass(), facts, OFFER),
      );
      const [zone, ...others] = plans.map((plan) => (plan.kind === 'create' ? plan.volume.zone : plan.kind));
      return others.every((other) => other === zone) ? zone : 'differs';
    });

    expect(new Set(zones)).toEqual(new Set(['az1', 'az2']));
  });

  test.each([
    {
      reason: 'too large',
      claim: aClaim({ resources: { requests: { storage: '5Ei' } } }),
      message: /not a valid volume size/,
    },
    {
      reason: 'larger than its limit',
      claim: aClaim({ resources: { requests: { storage: '4500M' }, limits: { storage: '4G' } } }),
      message: /limits.storage is 4G/,
    },
    { reason: 'with a selector', claim: aClaim({ selector: {} }), message: /spec.selector/ },
    { reason: 'to be modified', claim: aClaim({ volumeAttributesClassName: 'gold' }), message: /gold/ },
    { reason: 'for many', claim: aClaim({ accessModes: ['ReadWriteMany'] }), message: /StorageClass for shares/ },
    {
      reason: 'for many readers, of a type that is for one',
      claim: aClaim({ accessModes: ['ReadOnlyMany'] }),
      message:
        /volumes of the default type can be attached to only one server .*multiattach type \(the cloud has shared\)$/,
    },
  ])('$reason is refused', ({ claim, message }) => {
    expect(planVolume(claim, aClass(), CLUSTER, OFFER)).toEqual({
      kind: 'refuse',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    {
      reason: 'with unknown parameters',
      of: aClass({ parameters: { size: '1' } }),
      message: /StorageClass standard: .*"size"/,
    },
    {
      reason: 'of a type that is for other projects alone',
      of: aClass({ parameters: { type: 'theirs' } }),
      message: /StorageClass standard: parameter "type" is "theirs", and Cinder has shared, fast$/,
    },
    {
      reason: 'in a zone that Cinder has not',
      of: aClass({ parameters: { availability: 'x' } }),
      message: /Cinder has az1/,
    },
    {
      reason: 'by something that volumes do not differ in',
      of: aClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: 'rack', values: ['1'] }] }] }),
      message: /the key "rack"/,
    },
  ])('of a class $reason is refused', ({ of, message }) => {
    expect(planVolume(aClaim(), of, CLUSTER, OFFER)).toEqual({
      kind: 'refuse',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { reason: 'is gone', cluster: { ...CLUSTER, selectedNode: undefined }, of: aClass(DELAYED) },
    {
      reason: 'is where the class allows none',
      cluster: CLUSTER,
      of: aClass({ ...DELAYED, allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_KEY, values: ['az1'] }] }] }),
    },
  ])('waits for another node when the chosen one $reason', ({ cluster, of }) => {
    expect(planVolume(aClaim(), of, cluster, OFFER)).toMatchObject({ kind: 'reschedule' });
  });
});
