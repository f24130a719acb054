import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { type Lookup, planRestore, type RestorePlan } from './restore-plan.ts';

type Action = RestorePlan['steps'][number]['action'];

const RESTORING = { 'fairway.dev/paused': 'restore' };
const BACKED_UP = { 'fairway.dev/paused': 'backup' };

function an(type: ResourceType, metadata: ObjectMeta, content: object = {}): KubeObject {
  const place = type.namespaced ? { namespace: 'team' } : {};
  const meta = { name: 'demo', ...place, uid: 'there', ...metadata };
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: meta, ...content };
}

/** A target that contains these objects. */
function target(...objects: readonly [ResourceType, KubeObject][]): Lookup {
  return (type, namespace, name) =>
    objects.find(
      ([each, { metadata }]) => each === type && metadata.namespace === namespace && metadata.name === name,
    )?.[1];
}

function planOf(source: KubeObject, existing: KubeObject | undefined, type: ResourceType, overwrite = false) {
  return planRestore([source], existing === undefined ? target() : target([type, existing]), overwrite);
}

const spec = { spec: { plan: 'free' } };
const source = an(clusters, { annotations: BACKED_UP }, spec);
const moved = { status: { originUID: 'there', observedGeneration: 1 } };

const NOTHING = /^$/;

describe('the plan for a cluster', () => {
  const cases: readonly { existing: KubeObject | undefined; action?: Action; conflict?: RegExp; reason: string }[] = [
    { existing: undefined, action: 'create', reason: 'it does not exist' },
    {
      existing: an(clusters, { uid: 'here', annotations: RESTORING }, spec),
      action: 'complete',
      reason: 'the restore was killed before it restored the identity',
    },
    {
      existing: an(clusters, { uid: 'here', annotations: RESTORING }, { ...spec, ...moved }),
      action: 'complete',
      reason: 'the restore was killed before all objects existed',
    },
    {
      existing: an(clusters, { uid: 'here' }, { ...spec, ...moved }),
      action: 'keep',
      reason: 'the object is already restored and active',
    },
    {
      existing: an(clusters, { annotations: BACKED_UP }, spec),
      action: 'keep',
      reason: 'the object is in the source itself',
    },
    {
      existing: an(clusters, { uid: 'here' }, { spec: { plan: 'standard' }, ...moved }),
      conflict: /team\/demo: it exists and differs in spec\.plan/,
      reason: 'a user has changed it since',
    },
    {
      existing: an(clusters, { uid: 'here' }, spec),
      conflict: /the name is taken by another object \(UID here\), which is never overwritten/,
      reason: 'another cluster',
    },
    {
      existing: an(clusters, { uid: 'here', annotations: RESTORING }, { ...spec, status: { originUID: 'elsewhere' } }),
      conflict: /taken by another object/,
      reason: 'it is from another restore',
    },
    {
      existing: an(clusters, { uid: 'here', deletionTimestamp: 't' }, spec),
      conflict: /being deleted/,
      reason: 'a different cluster that is being deleted',
    },
  ];
  test.each(cases)('$reason: $action$conflict', ({ existing, action, conflict }) => {
    const { steps, conflicts } = planOf(source, existing, clusters);

    expect(conflicts.join('\n')).toMatch(conflict ?? NOTHING);
    expect(steps.map((step) => step.action)).toEqual(action === undefined ? [] : [action]);
  });

  test('a different cluster with the same name is not overwritten, even on request', () => {
    const { conflicts } = planOf(source, an(clusters, { uid: 'here' }, spec), clusters, true);

    expect(conflicts).toHaveLength(1);
  });

  test('the same cluster with differences is overwritten on request', () => {
    const changed = an(clusters, { uid: 'here' }, { spec: { plan: 'standard' }, ...moved });
    const { steps, conflicts } = planOf(source, changed, clusters, true);

    expect(conflicts).toEqual([]);
    expect(steps).toMatchObject([{ action: 'overwrite', fields: ['spec.plan'] }]);
  });
});

describe('pools and machines', () => {
  const part = { spec: { clusterName: 'demo' } };
  const objects = [source, an(nodePools, { uid: 'pool' }, part), an(machines, { uid: 'machine' }, part)];

  test('are created for a cluster that is being restored', () => {
    const restoring = an(clusters, { uid: 'here', annotations: RESTORING }, { ...spec, ...moved });

    expect(planRestore(objects, target([clusters, restoring]), false).steps.map(({ action }) => action)).toEqual([
      'complete',
      'create',
      'create',
    ]);
  });

  test('are omitted for a cluster that has kept running without them', () => {
    const activeCluster = an(clusters, { uid: 'here' }, { ...spec, ...moved });

    expect(planRestore(objects, target([clusters, activeCluster]), true).steps.map(({ action }) => action)).toEqual([
      'keep',
      'leaveOut',
      'leaveOut',
    ]);
  });

  test('machines are never overwritten', () => {
    const machine = an(machines, { uid: 'here' }, { spec: { clusterName: 'demo', image: 'a' } });
    const existing = { ...machine, spec: { clusterName: 'demo', image: 'b' }, status: { originUID: 'here' } };

    expect(planOf(machine, existing, machines, true).conflicts).toEqual([
      expect.stringMatching(/differs in spec\.image/),
    ]);
  });
});

describe('the plan for a namespace', () => {
  const cloud = (value: string) => ({ 'fairway.dev/cloud': value });
  const cases: readonly { has: Record<string, string>; overwrite: boolean; action?: Action; reason: string }[] = [
    { has: cloud('a'), overwrite: false, action: 'keep', reason: 'it has the same values' },
    { has: {}, overwrite: false, action: 'annotate', reason: 'it has no values yet' },
    { has: cloud('b'), overwrite: false, reason: 'another cloud would own the servers' },
    { has: cloud('b'), overwrite: true, action: 'annotate', reason: 'the backup takes precedence' },
  ];
  test.each(cases)('$has, overwrite $overwrite: $action, $reason', ({ has, overwrite, action }) => {
    const desiredObject = an(Namespaces, { annotations: cloud('a') });
    const { steps, conflicts } = planOf(desiredObject, an(Namespaces, { annotations: has }), Namespaces, overwrite);

    expect(steps.map((step) => step.action)).toEqual(action === undefined ? [] : [action]);
    expect(conflicts).toHaveLength(action === undefined ? 1 : 0);
  });

  test('keeps foreign annotations on a namespace, which are not a conflict', () => {
    const desiredObject = an(Namespaces, { annotations: { note: 'theirs', ...cloud('a') } });
    const existing = an(Namespaces, { annotations: { note: 'ours' } });

    expect(planOf(desiredObject, existing, Namespaces).steps).toMatchObject([
      { action: 'annotate', metadata: { annotations: cloud('a') } },
    ]);
  });
});

test('a Secret with different data is a conflict, and overwritten on request', () => {
  const desiredObject = an(Secrets, {}, { data: { a: 'MQ==' } });
  const existing = an(Secrets, { uid: 'here' }, { data: { a: 'Mg==' } });

  expect(planOf(desiredObject, existing, Secrets).conflicts).toEqual([
    'secrets team/demo: it exists and differs in data',
  ]);
  expect(planOf(desiredObject, existing, Secrets, true).steps).toMatchObject([{ action: 'overwrite' }]);
});

test('an object of unknown kind is a conflict, not silently dropped', () => {
  const foreignObject = { apiVersion: 'fairway.dev/v9', kind: 'Mystery', metadata: { name: 'x', uid: 'u' } };

  expect(planRestore([foreignObject], target(), false).conflicts).toEqual([
    'Mystery x: this version of Fairway cannot restore fairway.dev/v9',
  ]);
});
