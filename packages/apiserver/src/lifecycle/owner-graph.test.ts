import { ConfigMaps, Deployments, Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { OwnerGraph } from './owner-graph.ts';

function map(name: string, metadata: ObjectMeta = {}): KubeObject {
  return { metadata: { name, namespace: 'ns', uid: name, ...metadata } };
}

function refTo(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, ...more };
}

function graph(...objects: readonly (readonly [ResourceType, KubeObject])[]) {
  let checked: string[] = [];
  const invalid: string[] = [];
  const sink = {
    check: (uid: string) => checked.push(uid),
    invalidReference: (node: { name: string }, { name }: OwnerReference) => invalid.push(`${node.name}→${name}`),
  };
  const owners = new OwnerGraph(sink);
  for (const [type, object] of objects) owners.put(type, object);
  checked = [];
  return {
    owners,
    invalid,
    /** The checks that a change enqueues. */
    checks: (change: () => void) => {
      checked = [];
      change();
      return [...new Set(checked)].sort();
    },
  };
}

const deletionMetadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const foreground = { ...deletionMetadata, finalizers: ['foregroundDeletion'] };

describe('an ownership graph', () => {
  test('checks the dependents when their owner is deleted', () => {
    const child = map('child', { ownerReferences: [refTo('owner')] });
    const { owners, checks } = graph([ConfigMaps, map('owner')], [ConfigMaps, child], [ConfigMaps, map('other')]);

    expect(checks(() => owners.remove('owner'))).toEqual(['child']);
  });

  test('trusts a known owner, and checks unknown ones', () => {
    const { owners, checks } = graph([ConfigMaps, map('owner')]);

    expect(checks(() => owners.put(ConfigMaps, map('a', { ownerReferences: [refTo('owner')] })))).toEqual([]);
    expect(checks(() => owners.put(ConfigMaps, map('b', { ownerReferences: [refTo('stranger')] })))).toEqual(['b']);
  });

  test.each`
    reason                             | reference
    ${'another name'}                  | ${refTo('owner', { name: 'renamed' })}
    ${'another kind'}                  | ${refTo('owner', { kind: 'Secret' })}
    ${'another group'}                 | ${refTo('owner', { apiVersion: 'apps/v1' })}
    ${'an owner in another namespace'} | ${refTo('elsewhere')}
  `('reports a reference to $reason', ({ reference }) => {
    const { owners, checks, invalid } = graph(
      [ConfigMaps, map('owner')],
      [ConfigMaps, map('elsewhere', { namespace: 'other' })],
    );

    expect(checks(() => owners.put(ConfigMaps, map('a', { ownerReferences: [reference] })))).toEqual(['a']);
    expect(invalid).toEqual([`a→${reference.name}`]);
  });

  test('allows a cluster-scoped owner in any namespace', () => {
    const namespace = { metadata: { name: 'team', uid: 'team' } };
    const { owners, checks } = graph([Namespaces, namespace]);
    const reference = refTo('team', { kind: 'Namespace' });

    expect(checks(() => owners.put(ConfigMaps, map('a', { ownerReferences: [reference] })))).toEqual([]);
  });

  test('checks references to an owner that is observed after its dependents', () => {
    const wrong = map('wrong', { namespace: 'other', ownerReferences: [refTo('owner')] });
    const right = map('right', { ownerReferences: [refTo('owner')] });
    const { owners, checks, invalid } = graph([ConfigMaps, wrong], [ConfigMaps, right]);

    expect(checks(() => owners.put(ConfigMaps, map('owner')))).toEqual(['wrong']);
    expect(invalid).toEqual(['wrong→owner']);
  });

  test('checks all dependents when a foreground deletion starts', () => {
    const { owners, checks } = graph(
      [ConfigMaps, map('owner')],
      [ConfigMaps, map('a', { ownerReferences: [refTo('owner')] })],
      [Deployments, map('b', { ownerReferences: [refTo('owner', { blockOwnerDeletion: true })] })],
    );

    expect(checks(() => owners.put(ConfigMaps, map('owner', foreground)))).toEqual(['a', 'b', 'owner']);
    expect(checks(() => owners.put(ConfigMaps, map('owner', { ...foreground, resourceVersion: '9' })))).toEqual([]);
  });

  test('enqueues nothing for a background deletion until it is done', () => {
    const child = map('child', { ownerReferences: [refTo('owner')] });
    const { owners, checks } = graph([ConfigMaps, map('owner')], [ConfigMaps, child]);

    expect(checks(() => owners.put(ConfigMaps, map('owner', { ...deletionMetadata, finalizers: ['a/b'] })))).toEqual(
      [],
    );
  });

  test.each`
    reason                   | change
    ${'a dependent goes'}    | ${(owners: OwnerGraph) => owners.remove('child')}
    ${'it lets go'}          | ${(owners: OwnerGraph) => owners.put(ConfigMaps, map('child'))}
    ${'it blocks no longer'} | ${(owners: OwnerGraph) => owners.put(ConfigMaps, map('child', { ownerReferences: [refTo('owner')] }))}
  `('checks a waiting owner when $reason', ({ change }) => {
    const child = map('child', { ownerReferences: [refTo('owner', { blockOwnerDeletion: true })] });
    const { owners, checks } = graph([ConfigMaps, map('owner', foreground)], [ConfigMaps, child]);

    expect(checks(() => change(owners))).toContain('owner');
  });

  test('starts orphaning once', () => {
    const { owners, checks } = graph([ConfigMaps, map('owner')]);
    const orphaning = map('owner', { ...deletionMetadata, finalizers: ['orphan'] });

    expect(checks(() => owners.put(ConfigMaps, orphaning))).toEqual(['owner']);
    expect(checks(() => owners.put(ConfigMaps, orphaning))).toEqual([]);
  });

  test('drops a kind without touching the objects it owned', () => {
    const child = map('child', { ownerReferences: [refTo('d', { apiVersion: 'apps/v1', kind: 'Deployment' })] });
    const { owners, checks } = graph([Deployments, map('d')], [ConfigMaps, child]);

    expect(checks(() => owners.forget(Deployments))).toEqual([]);
    expect(owners.node('d')).toBeUndefined();
    expect(owners.dependentsOf('d').map(({ uid }) => uid)).toEqual(['child']);
  });

  test('retains no data about deleted objects', () => {
    const { owners } = graph(
      [ConfigMaps, map('owner')],
      [ConfigMaps, map('child', { ownerReferences: [refTo('owner')] })],
    );
    owners.remove('child');
    owners.remove('owner');

    expect(owners.size).toBe(0);
    expect(owners.dependentsOf('owner')).toEqual([]);
  });
});
