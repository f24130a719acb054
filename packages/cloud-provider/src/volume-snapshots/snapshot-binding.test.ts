import { describe, expect, test } from 'vitest';
import { DRIVER } from '../volumes/driver.ts';
import { aClaim, aVolume } from '../volumes/testing/objects.ts';
import { type BindingFacts, bindingStep, contentNameFor } from './snapshot-binding.ts';
import { aContent, aSnapshot, aSnapshotClass } from './testing/objects.ts';

const uid = { uid: 'one' };
const claim = { ...aClaim({ volumeName: 'pvc-1' }), status: { phase: 'Bound' } };
const facts: BindingFacts = { content: undefined, claim, volume: aVolume(), classes: [aSnapshotClass()] };
const ref = { namespace: 'default', name: 'first' };
const isDefault = { annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } };
const defaultClassSnapshot = aSnapshot({}, uid);
delete defaultClassSnapshot.spec.volumeSnapshotClassName;

describe('a VolumeSnapshot of a claim', () => {
  test('gets the same content as it would from snapshot-controller', () => {
    expect(bindingStep(aSnapshot({}, { ...uid, resourceVersion: '7' }), facts)).toMatchObject({
      kind: 'create',
      content: {
        metadata: { name: 'snapcontent-one' },
        spec: {
          deletionPolicy: 'Delete',
          driver: DRIVER,
          source: { volumeHandle: facts.volume?.spec.csi?.volumeHandle },
          sourceVolumeMode: 'Filesystem',
          volumeSnapshotClassName: 'fast',
          volumeSnapshotRef: { kind: 'VolumeSnapshot', ...ref, uid: 'one', resourceVersion: '7' },
        },
      },
    });
  });

  test('gets the default class if there is one', () => {
    const classes = [aSnapshotClass(), aSnapshotClass({}, { name: 'usual', ...isDefault })];

    expect(bindingStep(defaultClassSnapshot, { ...facts, classes })).toMatchObject({
      kind: 'create',
      content: { spec: { volumeSnapshotClassName: 'usual' } },
    });
  });

  test.each([
    { reason: 'a missing claim', change: { claim: undefined }, message: /no PersistentVolumeClaim data/ },
    { reason: 'an unbound claim', change: { claim: aClaim(), volume: undefined }, message: /data is not bound yet/ },
    {
      reason: 'a claim being deleted',
      change: { claim: { ...claim, metadata: { ...claim.metadata, deletionTimestamp: 'now' } } },
      message: /data is being deleted/,
    },
    { reason: 'a missing class', change: { classes: [] }, message: /no VolumeSnapshotClass "fast"/ },
  ])('waits because of $reason, and reports it', ({ change, message }) => {
    expect(bindingStep(aSnapshot({}, uid), { ...facts, ...change })).toEqual({
      kind: 'refuse',
      reason: 'SnapshotContentCreationFailed',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { classes: [aSnapshotClass()], message: /no VolumeSnapshotClass of driver .* has the annotation/ },
    { classes: [aSnapshotClass({ driver: 'other' }, isDefault)], message: /no VolumeSnapshotClass of driver/ },
    {
      classes: [aSnapshotClass({}, { name: 'b', ...isDefault }), aSnapshotClass({}, { name: 'a', ...isDefault })],
      message: /2 VolumeSnapshotClasses of driver .* are marked as default: a, b/,
    },
  ])('reports why there is no default class: $message', ({ classes, message }) => {
    expect(bindingStep(defaultClassSnapshot, { ...facts, classes })).toMatchObject({
      kind: 'refuse',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { reason: 'its class', change: { classes: [aSnapshotClass({ driver: 'other' })] } },
    { reason: 'its volume', change: { volume: aVolume({ csi: { driver: 'other', volumeHandle: 'x' } }) } },
    { reason: 'its content', change: { content: aContent({ driver: 'other' }) } },
  ])('is not bound if $reason belongs to another driver', ({ change }) => {
    expect(bindingStep(aSnapshot({}, uid), { ...facts, ...change })).toMatchObject({
      kind: 'foreign',
      message: expect.stringMatching(
        /uses driver other, but Fairway takes snapshots only for cinder.csi.openstack.org/,
      ),
    });
  });

  test('is not recreated when a ready content is lost', () => {
    const snapshot = { ...aSnapshot({}, uid), status: { readyToUse: true } };

    expect(bindingStep(snapshot, facts)).toMatchObject({ kind: 'refuse', reason: 'SnapshotContentMissing' });
  });

  test.each([
    { spec: { source: { volumeHandle: 'x' }, volumeSnapshotRef: { ...ref, ...uid } }, step: { kind: 'follow' } },
    {
      spec: { source: { volumeHandle: 'x' }, volumeSnapshotRef: { ...ref, uid: 'two' } },
      step: { kind: 'refuse', reason: 'SnapshotContentMisbound' },
    },
    { spec: { volumeSnapshotRef: { ...ref, ...uid } }, step: { kind: 'refuse', reason: 'SnapshotContentMismatch' } },
  ])('requires $step for the content $spec', ({ spec, step }) => {
    expect(bindingStep(aSnapshot({}, uid), { ...facts, content: aContent(spec) })).toMatchObject(step);
  });
});

describe('a VolumeSnapshot with a pre-provisioned content', () => {
  const snapshot = aSnapshot({ source: { volumeSnapshotContentName: 'kept' } }, uid);

  test.each([
    { content: undefined, step: { kind: 'refuse', reason: 'SnapshotContentMissing' } },
    { content: aContent(), step: { kind: 'bind' } },
    { content: aContent({ volumeSnapshotRef: { ...ref, ...uid } }), step: { kind: 'follow' } },
    {
      content: aContent({ volumeSnapshotRef: { ...ref, uid: 'two' } }),
      step: { kind: 'refuse', reason: 'SnapshotContentMisbound' },
    },
    {
      content: aContent({ volumeSnapshotRef: { ...ref, namespace: 'other' } }),
      step: { kind: 'refuse', reason: 'SnapshotContentMisbound' },
    },
    {
      content: aContent({ source: { volumeHandle: 'x' }, volumeSnapshotRef: { ...ref, ...uid } }),
      step: { kind: 'refuse', reason: 'SnapshotContentMismatch' },
    },
  ])('requires $step for the content $content.spec', ({ content, step }) => {
    expect(bindingStep(snapshot, { ...facts, content })).toMatchObject(step);
  });
});

test.each([
  { source: {}, name: undefined },
  { source: { persistentVolumeClaimName: 'data', volumeSnapshotContentName: 'kept' }, name: 'kept' },
])('creates no content for $source', ({ source, name }) => {
  const snapshot = aSnapshot({ source }, uid);

  expect(contentNameFor(snapshot)).toBe(name);
  expect(bindingStep(snapshot, facts)).toMatchObject({ kind: 'refuse', reason: 'SnapshotValidationError' });
});
