import { FAIRWAY_USER } from '@fairway/api/domain/fairway-user';
import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { LimitNote } from '@fairway/api/kinds/plan-limits';
import type { PlanStorage } from '@fairway/api/kinds/plan-storage';
import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import { Ingresses, PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { VolumeSnapshotContents, VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import type { AddonObject } from '../addon.ts';
import { APPLY_SET_ID, PART_OF_LABEL } from '../apply-set.ts';
import { addonsOf } from '../catalogue.ts';
import { someFacts } from '../testing/facts.ts';
import { violationsOf } from '../testing/policy-evaluation.ts';
import { limitPolicies } from './objects.ts';

const CINDER = 'cinder.csi.openstack.org';
const MANILA = 'manila.csi.openstack.org';
const TODAY = '2026-11-30';
/** No message. */
const NOTHING = /^$/;

type Fields = Readonly<Record<string, unknown>>;

function objectWith(fields: Fields): KubeObject {
  return { metadata: { name: 'some' }, ...fields };
}

function policies(limits: InClusterLimits, storage?: PlanStorage): readonly AddonObject[] {
  return limitPolicies({ limits, storage: storageLimits(storage ? { storage } : {}), today: TODAY });
}

function policyNames(objects: readonly AddonObject[]): readonly string[] {
  return objects.map(({ type, name }) => `${type.kind} ${name}`);
}

const REFUSING = [
  'ValidatingAdmissionPolicy limits.fairway.dev',
  'ValidatingAdmissionPolicyBinding limits.fairway.dev',
];
const WARNING = REFUSING.map((name) => name.replace('limits', 'limit-warnings'));

test.each<{ reason: string; storage: PlanStorage; expectedPolicies: readonly string[] }>([
  { reason: 'allows everything', storage: { tenantClasses: 'Allowed' }, expectedPolicies: [] },
  {
    reason: 'lists all access modes',
    storage: {
      accessModes: ['ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
      tenantClasses: 'Allowed',
    },
    expectedPolicies: [],
  },
  {
    reason: 'omits an access mode',
    storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' },
    expectedPolicies: REFUSING,
  },
  { reason: 'allows only its own classes', storage: { tenantClasses: 'Refused' }, expectedPolicies: REFUSING },
])('a plan that $reason creates $expectedPolicies', ({ storage, expectedPolicies }) => {
  const addons = addonsOf(someFacts({ storage: storageLimits({ storage }) }));
  const limits = addons.find(({ name }) => name === 'plan-limits');

  expect(policyNames(limits?.objects ?? [])).toEqual(expectedPolicies);
});

describe('notes of a plan', () => {
  const WITHOUT_SHARING: PlanStorage = { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'], tenantClasses: 'Allowed' };
  const sharedClaim = objectWith({ spec: { storageClassName: 'default', accessModes: ['ReadWriteMany'] } });
  const note = (fields: Partial<LimitNote>): LimitNote => ({
    limit: 'storage.accessModes',
    value: 'ReadWriteMany',
    enforcement: 'Refuse',
    ...fields,
  });

  test.each<{ reason: string; notes: LimitNote[]; names: readonly string[]; expectedMessage?: RegExp }>([
    {
      reason: 'explain a refusal',
      notes: [note({ reason: 'a\nb' })],
      names: REFUSING,
      expectedMessage: /^Deny .*\. A b$/,
    },
    {
      reason: 'turn a refusal into a warning',
      notes: [note({ enforcement: 'Warn', alternative: 'use shares' })],
      names: [...REFUSING, ...WARNING],
      expectedMessage: /^Warn .*\. Use shares$/,
    },
    {
      reason: 'announce a refusal',
      notes: [note({ since: '2026-12-01' })],
      names: [...REFUSING, ...WARNING],
      expectedMessage: /^Warn .*\. Refused from 2026-12-01 on$/,
    },
    { reason: 'end a refusal', notes: [note({ until: TODAY })], names: REFUSING },
  ])('$reason', ({ notes, names, expectedMessage = NOTHING }) => {
    const objects = policies({ limitNotes: notes }, WITHOUT_SHARING);

    expect(policyNames(objects)).toEqual(names);
    expect(violationsOf(objects, { type: PersistentVolumeClaims, object: sharedClaim }).join('\n')).toMatch(
      expectedMessage,
    );
  });
});

test.each<{ reason: string; type: ResourceType; fields: Fields; expectedMessage?: RegExp }>([
  {
    reason: 'a claim for one node',
    type: PersistentVolumeClaims,
    fields: { spec: { storageClassName: 'default', accessModes: ['ReadWriteOnce'] } },
  },
  {
    reason: 'a claim for many nodes in another class',
    type: PersistentVolumeClaims,
    fields: { spec: { storageClassName: 'nfs', accessModes: ['ReadWriteMany'] } },
  },
  {
    reason: 'a claim for many nodes',
    type: PersistentVolumeClaims,
    fields: { spec: { storageClassName: 'default', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } },
    expectedMessage:
      /^Deny spec.accessModes: ReadWriteMany is not allowed .*: use ReadWriteOnce, or a StorageClass for shares$/,
  },
  {
    reason: 'a volume for many nodes',
    type: PersistentVolumes,
    fields: { spec: { accessModes: ['ReadOnlyMany'], csi: { driver: CINDER } } },
    expectedMessage: /^Deny spec.accessModes: ReadOnlyMany is not allowed/,
  },
  {
    reason: 'a volume of another driver',
    type: PersistentVolumes,
    fields: { spec: { accessModes: ['ReadOnlyMany'], csi: { driver: 'nfs.example.org' } } },
  },
  {
    reason: 'a class of the tenant',
    type: StorageClasses,
    fields: { provisioner: CINDER },
    expectedMessage: /^Deny classes of the tenant's own .*: use default$/,
  },
  { reason: 'a class of another driver', type: StorageClasses, fields: { provisioner: 'nfs.example.org' } },
  {
    reason: 'a class of the plan',
    type: StorageClasses,
    fields: { metadata: { name: 'default' }, provisioner: CINDER },
  },
])('limits of storage refuse $reason: $expectedMessage', ({ type, fields, expectedMessage = NOTHING }) => {
  const objects = policies({}, { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' });

  expect(violationsOf(objects, { type, object: objectWith(fields) }).join('\n')).toMatch(expectedMessage);
});

test('a stored volume keeps its access modes, but gets no others', () => {
  const objects = policies({}, { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' });
  const [narrow, wide] = [['ReadWriteOnce'], ['ReadWriteOnce', 'ReadWriteMany']].map((accessModes) =>
    objectWith({ spec: { accessModes, csi: { driver: CINDER } } }),
  );
  const violations = (object = objectWith({}), old = objectWith({})) =>
    violationsOf(objects, { type: PersistentVolumes, object, old });

  expect(violations(wide, wide)).toEqual([]);
  expect(violations(narrow, wide)).toEqual([]);
  expect(violations(wide, narrow)).toHaveLength(1);
});

test('only Fairway creates classes of the plan before the API server has its new policy', () => {
  const objects = policies({}, { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' });
  const object = objectWith({
    metadata: { name: 'new', labels: { [PART_OF_LABEL]: APPLY_SET_ID } },
    provisioner: CINDER,
  });
  const write = { type: StorageClasses, object };

  expect(violationsOf(objects, { ...write, username: FAIRWAY_USER })).toEqual([]);
  expect(violationsOf(objects, write)).toHaveLength(1);
});

describe('excluded features', () => {
  const WITHOUT_FEATURES = policies({ allowed: { features: [] } });
  const networking = (plural: string) => ({ ...Ingresses, plural });
  const gateways = (plural: string) => ({ group: 'gateway.networking.k8s.io', version: 'v1', plural });
  const legacy = (name: string) => ({ metadata: { name: 'a', annotations: { 'kubernetes.io/ingress.class': name } } });

  test.each<{ type: Pick<ResourceType, 'group' | 'version' | 'plural'>; fields: Fields; feature?: RegExp }>([
    { type: Ingresses, fields: { spec: { ingressClassName: 'octavia' } }, feature: /include Ingresses on/ },
    { type: Ingresses, fields: { spec: {}, ...legacy('openstack') }, feature: /include Ingresses on/ },
    { type: Ingresses, fields: { spec: { ingressClassName: 'nginx' }, ...legacy('openstack') } },
    { type: Ingresses, fields: { spec: {}, ...legacy('nginx') } },
    { type: Ingresses, fields: { spec: {} } },
    {
      type: networking('ingressclasses'),
      fields: { spec: { controller: 'fairway.dev/octavia' } },
      feature: /include Ingresses on/,
    },
    { type: networking('ingressclasses'), fields: { spec: { controller: 'k8s.io/ingress-nginx' } } },
    { type: gateways('gateways'), fields: { spec: { gatewayClassName: 'octavia' } }, feature: /include Gateways on/ },
    { type: gateways('gateways'), fields: { spec: { gatewayClassName: 'cilium' } } },
    {
      type: gateways('gatewayclasses'),
      fields: { spec: { controllerName: 'fairway.dev/octavia' } },
      feature: /include Gateways on/,
    },
    { type: StorageClasses, fields: { provisioner: MANILA }, feature: /include shares of Manila/ },
    { type: StorageClasses, fields: { provisioner: `nfs.${MANILA}` }, feature: /include shares of Manila/ },
    { type: StorageClasses, fields: { provisioner: CINDER } },
    { type: PersistentVolumes, fields: { spec: { csi: { driver: MANILA } } }, feature: /include shares of Manila/ },
    { type: PersistentVolumes, fields: { spec: {} } },
    { type: VolumeSnapshots, fields: { spec: { source: {} } }, feature: /include volume snapshots/ },
    { type: VolumeSnapshotContents, fields: { spec: { driver: CINDER } }, feature: /include volume snapshots/ },
    { type: VolumeSnapshotContents, fields: { spec: { driver: 'nfs.example.org' } } },
  ])('refuse $type.plural with $fields: $feature', ({ type, fields, feature = NOTHING }) => {
    const object = objectWith(fields);

    expect(violationsOf(WITHOUT_FEATURES, { type, object }).join('\n')).toMatch(feature);
    expect(violationsOf(WITHOUT_FEATURES, { type, object, old: object }), 'stored').toEqual([]);
    expect(violationsOf(policies({}), { type, object }), 'with all features').toEqual([]);
  });

  test('refuse an Ingress that changes to the class of the cloud’s load balancers', () => {
    const [old, object] = ['nginx', 'octavia'].map((ingressClassName) => objectWith({ spec: { ingressClassName } }));

    expect(violationsOf(WITHOUT_FEATURES, { type: Ingresses, object: object ?? objectWith({}), old })).toHaveLength(1);
  });
});
