import { describe, expect, test } from 'vitest';
import { DRIVER, PROVISIONER_ANNOTATION_NAMES, SELECTED_NODE_ANNOTATION, ZONE_KEY } from './driver.ts';
import { aClaim, aClass } from './testing/objects.ts';
import { type ClusterFacts, needsProvisioning, planVolume, type StorageOffer } from './volume-plan.ts';

/** An ID in Cinder's format. */
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
};
const DELAYED_BINDING = { volumeBindingMode: 'WaitForFirstConsumer' };
const REQUESTED_CLAIM = { annotations: { [PROVISIONER_ANNOTATION_NAMES[0]]: DRIVER } };

describe('a claim', () => {
  test.each([
    { reason: 'its class belongs to the driver', claim: aClaim({}, REQUESTED_CLAIM), of: aClass(), is: true },
    {
      reason: 'it has the annotation’s name from before 1.23',
      claim: aClaim({}, { annotations: { [PROVISIONER_ANNOTATION_NAMES[1]]: DRIVER } }),
      of: aClass(),
      is: true,
    },
    { reason: 'Kubernetes has not requested provisioning yet', claim: aClaim(), of: aClass(), is: false },
    {
      reason: 'its class belongs to the in-tree plugin',
      claim: aClaim({}, { annotations: { 'volume.kubernetes.io/storage-provisioner': 'kubernetes.io/cinder' } }),
      of: aClass({ provisioner: 'kubernetes.io/cinder' }),
      is: true,
    },
    {
      reason: 'its class belongs to the in-tree plugin, and the annotation names the driver',
      claim: aClaim({}, REQUESTED_CLAIM),
      of: aClass({ provisioner: 'kubernetes.io/cinder' }),
      is: true,
    },
    {
      reason: 'its class belongs to another driver',
      claim: aClaim({}, REQUESTED_CLAIM),
      of: aClass({ provisioner: 'other' }),
      is: false,
    },
    { reason: 'it has no class', claim: aClaim({}, REQUESTED_CLAIM), of: undefined, is: false },
    { reason: 'it is bound', claim: aClaim({ volumeName: 'x' }, REQUESTED_CLAIM), of: aClass(), is: false },
    {
      reason: 'it is being deleted',
      claim: aClaim({}, { ...REQUESTED_CLAIM, deletionTimestamp: 'now' }),
      of: aClass(),
      is: false,
    },
    { reason: 'it waits for a pod', claim: aClaim({}, REQUESTED_CLAIM), of: aClass(DELAYED_BINDING), is: false },
    {
      reason: 'its pod has a node',
      claim: aClaim({}, { annotations: { ...REQUESTED_CLAIM.annotations, [SELECTED_NODE_ANNOTATION]: 'n' } }),
      of: aClass(DELAYED_BINDING),
      is: true,
    },
  ])('needs provisioning ($is) if $reason', ({ claim, of, is }) => {
    expect(needsProvisioning(claim, of)).toBe(is);
  });
});

describe('the volume of a claim', () => {
  test.each([
    {
      reason: 'the default type, in the zone of its pod',
      claim: aClaim(),
      of: aClass(DELAYED_BINDING),
      volume: { request: { size: 5, availability_zone: 'az2' }, fsType: 'ext4', zone: 'az2' },
    },
    {
      reason: 'a type, as a raw block device',
      claim: aClaim({ volumeMode: 'Block' }),
      of: aClass({ ...DELAYED_BINDING, parameters: { type: 'fast' } }),
      volume: { request: { size: 5, volume_type: 'fast', availability_zone: 'az2' }, fsType: undefined, zone: 'az2' },
    },
    {
      reason: 'the zone in its class, which servers of all zones can reach',
      claim: aClaim(),
      of: aClass({ ...DELAYED_BINDING, parameters: { availability: 'ceph' } }),
      volume: { request: { size: 5, availability_zone: 'ceph' }, fsType: 'ext4', zone: undefined },
    },
    {
      reason: 'the only zone that the class allows',
      claim: aClaim({}, { uid: 'any' }),
      of: aClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_KEY, values: ['az1'] }] }] }),
      volume: { request: { size: 5, availability_zone: 'az1' }, fsType: 'ext4', zone: 'az1' },
    },
    {
      reason: 'a multiattach type, for several servers',
      claim: aClaim({ accessModes: ['ReadWriteMany'], volumeMode: 'Block' }),
      of: aClass({ ...DELAYED_BINDING, parameters: { type: 'shared' } }),
      volume: { request: { size: 5, volume_type: 'shared', availability_zone: 'az2' }, fsType: undefined, zone: 'az2' },
    },
  ])('gets $reason', ({ claim, of, volume }) => {
    expect(planVolume(claim, of, CLUSTER, OFFER)).toEqual({ kind: 'create', volume });
  });

  test('has no zone in a cloud whose volume zones differ from its compute zones', () => {
    const plan = planVolume(aClaim(), aClass(DELAYED_BINDING), CLUSTER, { ...OFFER, volumeZones: ['nova'] });

    expect(plan).toEqual({ kind: 'create', volume: { request: { size: 5 }, fsType: 'ext4', zone: undefined } });
  });

  describe('in zones whose names are not valid labels', () => {
    const named = { ...OFFER, volumeZones: ['AZ 1', 'Zürich', 'az2'], computeZones: ['AZ 1', 'Zürich', 'az2'] };
    const at = (label: string, offerFields: Partial<StorageOffer> = {}, of = aClass(DELAYED_BINDING)) =>
      planVolume(aClaim(), of, { ...CLUSTER, selectedNode: { [ZONE_KEY]: label } }, { ...named, ...offerFields });

    test.each([
      { label: 'AZ-1', zone: 'AZ 1' },
      { label: 'Z-rich', zone: 'Zürich' },
    ])('is created in $zone for a node labelled $label', ({ label, zone }) => {
      const volume = { request: { size: 5, availability_zone: zone }, fsType: 'ext4', zone: label };
      expect(at(label)).toEqual({ kind: 'create', volume });
    });

    test('uses the label of the class’s zone as its topology', () => {
      const of = aClass({ ...DELAYED_BINDING, parameters: { availability: 'AZ 1' } });
      const volume = { request: { size: 5, availability_zone: 'AZ 1' }, fsType: 'ext4', zone: 'AZ-1' };
      expect(at('AZ-1', {}, of)).toEqual({ kind: 'create', volume });
    });

    test.each(['AZ-1', 'AZ 1'])('is in the allowed zone if the class specifies it as %s', (allowed) => {
      const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE_KEY, values: [allowed] }] }];
      const volume = { request: { size: 5, availability_zone: 'AZ 1' }, fsType: 'ext4', zone: 'AZ-1' };
      expect(at('AZ-1', {}, aClass({ ...DELAYED_BINDING, allowedTopologies }))).toEqual({ kind: 'create', volume });
      expect(at('az2', {}, aClass({ ...DELAYED_BINDING, allowedTopologies }))).toMatchObject({ kind: 'reschedule' });
    });

    test.each([
      { reason: 'two Cinder zones', how: { volumeZones: ['AZ 1', 'AZ-1'] } },
      { reason: 'a Cinder zone and a different Nova zone', how: { computeZones: ['AZ-1', 'AZ 1'] } },
    ])('is refused if labels collide: $reason', ({ how }) => {
      expect(at('AZ-1', how)).toMatchObject({
        kind: 'refuse',
        message: expect.stringMatching(/the zones "AZ.1" and "AZ.1" have the same label "AZ-1"/),
      });
    });

    test('prefers zones with distinct labels', () => {
      const cluster = { ...CLUSTER, nodeZones: ['AZ-1', 'az2'] };
      const offer = { ...named, volumeZones: ['AZ 1', 'AZ-1', 'az2'] };
      expect(planVolume(aClaim(), aClass(), cluster, offer)).toMatchObject({ volume: { zone: 'az2' } });
    });
  });

  test('always picks the same zone among the nodes’ zones', () => {
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
      reason: 'its size is larger than its limit',
      claim: aClaim({ resources: { requests: { storage: '4500M' }, limits: { storage: '4G' } } }),
      message: /limits.storage is 4G/,
    },
    { reason: 'it has a selector', claim: aClaim({ selector: {} }), message: /spec.selector/ },
    { reason: 'it has a VolumeAttributesClass', claim: aClaim({ volumeAttributesClassName: 'gold' }), message: /gold/ },
    { reason: 'for many', claim: aClaim({ accessModes: ['ReadWriteMany'] }), message: /StorageClass for shares/ },
    {
      reason: 'it has many readers, but its type allows only one server',
      claim: aClaim({ accessModes: ['ReadOnlyMany'] }),
      message:
        /volumes of the default type can be attached to only one server .*multiattach type \(the cloud has shared\)$/,
    },
  ])('is refused: $reason', ({ claim, message }) => {
    expect(planVolume(claim, aClass(), CLUSTER, OFFER)).toEqual({
      kind: 'refuse',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    {
      reason: 'unknown parameters',
      of: aClass({ parameters: { size: '1' } }),
      message: /StorageClass standard: .*"size"/,
    },
    {
      reason: 'a type for other projects only',
      of: aClass({ parameters: { type: 'theirs' } }),
      message: /StorageClass standard: parameter "type" is "theirs", and Cinder has shared, fast$/,
    },
    {
      reason: 'a zone that Cinder does not have',
      of: aClass({ parameters: { availability: 'x' } }),
      message: /Cinder has az1/,
    },
    {
      reason: 'a topology key that volumes do not support',
      of: aClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: 'rack', values: ['1'] }] }] }),
      message: /the key "rack"/,
    },
  ])('refuses a class with $reason', ({ of, message }) => {
    expect(planVolume(aClaim(), of, CLUSTER, OFFER)).toEqual({
      kind: 'refuse',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { reason: 'is gone', cluster: { ...CLUSTER, selectedNode: undefined }, of: aClass(DELAYED_BINDING) },
    {
      reason: 'is in a zone that the class does not allow',
      cluster: CLUSTER,
      of: aClass({
        ...DELAYED_BINDING,
        allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_KEY, values: ['az1'] }] }],
      }),
    },
  ])('waits for a different node if the selected node $reason', ({ cluster, of }) => {
    expect(planVolume(aClaim(), of, cluster, OFFER)).toMatchObject({ kind: 'reschedule' });
  });
});
