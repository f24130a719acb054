import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ConfigMaps,
  RoleBindings,
  Secrets,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ObjectMeta, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { selectNamespaces, selectObjects } from './selection.ts';

let uid = 0;
function object(metadata: ObjectMeta, content: object = {}): KubeObject {
  return { metadata: { uid: `u-${++uid}`, ...metadata }, ...content };
}

function namesOf(objects: readonly KubeObject[] | undefined): (string | undefined)[] {
  return (objects ?? []).map(({ metadata }) => metadata.name);
}

test('selects namespaces with Fairway’s objects', () => {
  const namespaces = [
    object({ name: 'fairway-system' }),
    object({ name: 'used' }),
    object({ name: 'annotated', annotations: { 'fairway.dev/cloud': 'c' } }),
    object({ name: 'kube-system' }),
    object({ name: 'other', labels: { 'example.com/fairway.dev': 'x' } }),
  ];
  const listing = new Map([
    [
      machines as ResourceType,
      [object({ name: 'm', namespace: 'used' }), object({ name: 'm', namespace: 'vanished' })],
    ],
  ]);

  expect([...selectNamespaces(listing, namespaces)].sort()).toEqual(['annotated', 'fairway-system', 'used']);
});

describe('selection of an object', () => {
  const installed = { managedFields: [{ manager: 'fairway-install' }] };
  const cases: readonly { type: ResourceType; object: KubeObject; moves: boolean; reason: string }[] = [
    { type: ConfigMaps, object: object({ name: 'settings' }), moves: true, reason: 'it belongs to a tenant' },
    {
      type: ConfigMaps,
      object: object({ name: 'kube-root-ca.crt' }),
      moves: false,
      reason: 'every cluster has its own copy',
    },
    {
      type: ConfigMaps,
      object: object({ name: 'r', labels: { 'fairway.dev/restore': 'id' } }),
      moves: false,
      reason: 'the object is from a restore into the source',
    },
    {
      type: Secrets,
      object: object({ name: 'pki' }, { type: 'fairway.dev/cluster-pki' }),
      moves: true,
      reason: "the object contains a cluster's CAs",
    },
    { type: Secrets, object: object({ name: 's' }, { type: 'Opaque' }), moves: true, reason: 'credentials' },
    {
      type: Secrets,
      object: object({ name: 't' }, { type: 'kubernetes.io/service-account-token' }),
      moves: false,
      reason: 'the source signed it',
    },
    {
      type: Secrets,
      object: object({ name: 'h' }, { type: 'helm.sh/release.v1' }),
      moves: false,
      reason: 'the object contains Helm’s release data of the source',
    },
    {
      type: Secrets,
      object: object({
        name: 'of-another',
        ownerReferences: [{ apiVersion: 'x/v1', kind: 'X', name: 'x', uid: 'elsewhere', controller: true }],
      }),
      moves: false,
      reason: 'its controller recreates it',
    },
    {
      type: Secrets,
      object: object({
        name: 'of-somebody',
        ownerReferences: [{ apiVersion: 'x/v1', kind: 'X', name: 'x', uid: 'elsewhere' }],
      }),
      moves: true,
      reason: 'nothing recreates it',
    },
    { type: ServiceAccounts, object: object({ name: 'robot' }), moves: true, reason: 'it belongs to a tenant' },
    { type: ServiceAccounts, object: object({ name: 'default' }), moves: false, reason: 'every namespace has one' },
    { type: ServiceAccounts, object: object({ name: 'fairway', ...installed }), moves: false, reason: 'installed' },
    {
      type: RoleBindings,
      object: object({ name: 'alice' }, { roleRef: {} }),
      moves: true,
      reason: 'it belongs to an operator',
    },
    { type: ClusterRoles, object: object({ name: 'helpdesk' }), moves: true, reason: 'it belongs to an operator' },
    { type: ClusterRoles, object: object({ name: 'fairway-member' }), moves: false, reason: 'it belongs to Fairway' },
    { type: ClusterRoles, object: object({ name: 'system:x' }), moves: false, reason: 'it belongs to Kubernetes' },
    {
      type: ClusterRoles,
      object: object({ name: 'admin', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }),
      moves: false,
      reason: 'it belongs to Kubernetes',
    },
    {
      type: ClusterRoles,
      object: object({ name: 'fairway-controllers', ...installed }),
      moves: false,
      reason: 'installed',
    },
  ];
  test.each(cases)('$object.metadata.name ($type.plural): $moves, $reason', ({ type, object: candidate, moves }) => {
    const selected = selectObjects(new Map([[type, [candidate]]]), false);

    expect(selected.get(type)).toEqual(moves ? [candidate] : []);
  });

  test('includes dependents of a selected owner', () => {
    const owner = object({ name: 'pool', uid: 'here' });
    const owned = object({
      name: 'machine',
      ownerReferences: [{ apiVersion: 'v', kind: 'NodePool', name: 'pool', uid: 'here', controller: true }],
    });
    const listing = new Map<ResourceType, KubeObject[]>([
      [nodePools, [owner]],
      [machines, [owned]],
    ]);

    expect(selectObjects(listing, false).get(machines)).toEqual([owned]);
  });

  test('includes only RBAC rules for Fairway if the cluster is shared', () => {
    const role = (name: string, apiGroups: string[]) => object({ name }, { rules: [{ apiGroups }] });
    const binding = (name: string, role: string) => object({ name }, { roleRef: { kind: 'ClusterRole', name: role } });
    const listing = new Map<ResourceType, KubeObject[]>([
      [ClusterRoles, [role('about', ['fairway.dev']), role('bound', ['']), role('stranger', ['cilium.io'])]],
      [RoleBindings, [binding('b', 'bound')]],
      [
        ClusterRoleBindings,
        [binding('a', 'about'), binding('s', 'stranger'), binding('o', 'fairway-catalogue-reader')],
      ],
    ]);

    const shared = selectObjects(listing, true);
    const own = selectObjects(listing, false);

    expect(namesOf(shared.get(ClusterRoles))).toEqual(['about', 'bound']);
    expect(namesOf(shared.get(ClusterRoleBindings))).toEqual(['a', 'o']);
    expect(namesOf(own.get(ClusterRoles))).toHaveLength(3);
    expect(namesOf(own.get(ClusterRoleBindings))).toHaveLength(3);
  });
});
