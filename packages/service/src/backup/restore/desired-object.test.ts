import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { plans } from '@fairway/api/kinds/plan';
import { ConfigMaps, Namespaces, Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { desiredObject, desiredStatus, differences, userPauseOf } from './desired-object.ts';

const ORIGIN = '123e4567-e89b-42d3-a456-426614174000';
const nobody = () => undefined;

const machine = {
  apiVersion: 'fairway.dev/v1alpha1',
  kind: 'Machine',
  metadata: {
    name: 'm',
    namespace: 'team',
    uid: 'u-machine',
    resourceVersion: '12',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    labels: { l: '1' },
    annotations: { a: '1', 'fairway.dev/paused': 'backup' },
    finalizers: ['fairway.dev/cloud-resources', 'foregroundDeletion'],
    ownerReferences: [
      { apiVersion: 'fairway.dev/v1alpha1', kind: 'NodePool', name: 'p', uid: 'u-pool', controller: true },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'u-gone' },
    ],
  },
  spec: { flavor: 'b3-8' },
  status: {
    observedGeneration: 3,
    phase: 'Ready',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'AsExpected',
        message: '',
        lastTransitionTime: 't',
        observedGeneration: 3,
      },
      { type: 'Paused', status: 'True', reason: 'Paused', message: '', lastTransitionTime: 't' },
    ],
  },
} satisfies KubeObject & { spec: object; status: object };

describe('the desired object', () => {
  test('has the user’s spec, is paused, and references its owners by their new UIDs', () => {
    const restored = desiredObject(machines, machine, (uid) => (uid === 'u-pool' ? 'new' : undefined));

    expect(restored).toEqual({
      apiVersion: machine.apiVersion,
      kind: 'Machine',
      metadata: {
        name: 'm',
        namespace: 'team',
        labels: { l: '1' },
        annotations: { a: '1', 'fairway.dev/paused': 'restore' },
        finalizers: ['fairway.dev/cloud-resources'],
        ownerReferences: [{ ...machine.metadata.ownerReferences[0], uid: 'new' }],
      },
      spec: machine.spec,
    });
  });

  test.each([
    { type: plans, source: { metadata: { name: 'free' }, spec: { a: 1 } }, reason: 'no controller acts on it' },
    {
      type: Secrets,
      source: { metadata: { name: 's' }, type: 'Opaque', data: { a: 'YQ==' } },
      reason: 'no controller acts on it',
    },
  ])('does not pause $type.plural: $reason', ({ type, source }) => {
    expect(desiredObject(type, source, nobody)).toEqual(source);
  });

  test.each([
    { type: Namespaces, source: { metadata: { name: 'n' }, spec: { finalizers: ['kubernetes'] } } },
    { type: ServiceAccounts, source: { metadata: { name: 'n' }, secrets: [{ name: 'n-token-x' }] } },
  ])('omits server-set fields of $type.plural', ({ type, source }) => {
    expect(desiredObject(type, source, nobody)).toEqual({ metadata: { name: 'n' } });
  });
});

describe('its status', () => {
  test('has only fields that cannot be observed again, including the cloud identity', () => {
    expect(desiredStatus(machines, machine)).toEqual({
      originUID: 'u-machine',
      phase: 'Ready',
      conditions: [{ type: 'Ready', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: 't' }],
    });
  });

  test('keeps the cloud identity from before the first move', () => {
    const adopted = { ...machine, status: { ...machine.status, originUID: ORIGIN } };

    expect(desiredStatus(machines, adopted)).toMatchObject({ originUID: ORIGIN });
  });

  test('contains the cloud identity of an object that was never reconciled', () => {
    const { status: _status, ...fresh } = machine;

    expect(desiredStatus(clusters, fresh)).toEqual({ conditions: [], originUID: 'u-machine' });
  });

  test('is undefined for a Plan, because the controllers set it', () => {
    expect(desiredStatus(plans, machine)).toBeUndefined();
  });
});

test.each([
  { value: undefined, people: undefined },
  { value: 'backup', people: undefined },
  { value: 'restore', people: undefined },
  { value: 'true', people: 'true' },
  { value: '', people: '' },
])('$value is a pause set by users: $people', ({ value, people }) => {
  const annotations = value === undefined ? {} : { 'fairway.dev/paused': value };

  expect(userPauseOf({ metadata: { annotations } })).toBe(people);
});

test.each<{ wanted: object; held: object; fields: string[]; reason: string }>([
  { wanted: { spec: { a: 1 } }, held: { spec: { a: 1, b: 2 } }, fields: [], reason: 'the target sets a default' },
  { wanted: { spec: { a: 1 } }, held: { spec: { a: 2 } }, fields: ['spec.a'], reason: 'changed' },
  { wanted: { spec: { a: { b: [1] } } }, held: { spec: { a: {} } }, fields: ['spec.a.b'], reason: 'missing' },
  { wanted: { spec: { a: [] } }, held: { spec: {} }, fields: [], reason: 'an empty list equals an absent one' },
  { wanted: { rules: [1, 2] }, held: { rules: [2, 1] }, fields: ['rules'], reason: 'the order of lists matters' },
  {
    wanted: { data: { a: '1' } },
    held: { data: { a: '1', b: '2' } },
    fields: ['data'],
    reason: 'data has no defaults',
  },
  { wanted: {}, held: { status: { a: 1 } }, fields: [], reason: 'the status is not compared' },
])('$held and $wanted differ in $fields: $reason', ({ wanted, held, fields }) => {
  const of = (content: object): KubeObject => ({ apiVersion: 'v1', kind: ConfigMaps.kind, metadata: {}, ...content });

  expect(differences(of(wanted), of(held))).toEqual(fields);
});
