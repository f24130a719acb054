import * as resources from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { ALL_KINDS, kindOf, MANAGEMENT_KINDS } from './builtin-kinds.ts';
import { builtinDefinitions, documentedDefinitions } from './definitions.ts';

const definitions = builtinDefinitions();

test('defines every kind with its group, version and kind', () => {
  expect(ALL_KINDS).not.toEqual([]);
  for (const kind of ALL_KINDS) {
    const schema = definitions.get(kind.schema.$ref ?? '');
    const { group, version } = kind;

    expect(schema?.['x-kubernetes-group-version-kind']).toEqual([{ group, version, kind: kind.kind }]);
  }
});

test('serves a status subresource if the schema has a status, except for kinds for which nothing reports a status', () => {
  const wrong = ALL_KINDS.filter((kind) => {
    const status = definitions.get(kind.schema.$ref ?? '')?.properties?.['status'];
    return (status !== undefined) !== (kind.hasStatus === true);
  });

  expect(wrong.map(({ plural }) => plural)).toEqual([]);
});

test('has unambiguous resource names, short names and columns', () => {
  const names = ALL_KINDS.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(new Set(names).size).toBe(names.length);

  const duplicates = ALL_KINDS.filter(
    ({ columns = [] }) => new Set(columns.map(({ name }) => name)).size < columns.length,
  );
  expect(duplicates).toEqual([]);
  const shortNames = ALL_KINDS.filter(({ version, group }) => version === 'v1' && group !== 'events.k8s.io').flatMap(
    ({ shortNames = [] }) => shortNames,
  );
  const repeated = shortNames.filter((name, index) => shortNames.indexOf(name) !== index);
  expect(repeated).toEqual([]);
});

test('returns the same kinds as upstream for `kubectl get all`', () => {
  const all = ALL_KINDS.filter(({ categories }) => categories?.includes('all')).map(({ plural }) => plural);

  expect([...new Set(all)].sort()).toEqual([
    'cronjobs',
    'daemonsets',
    'deployments',
    'horizontalpodautoscalers',
    'jobs',
    'pods',
    'replicasets',
    'replicationcontrollers',
    'services',
    'statefulsets',
  ]);
});

test('defines each typed resource with the same scope as its kind', () => {
  const served = Object.values(resources).filter(
    ({ plural }) => plural !== 'customresourcedefinitions' && plural !== 'bindings',
  );

  const wrong = served.filter((resource) => kindOf(resource).namespaced !== resource.namespaced);
  expect(wrong).toEqual([]);
  expect(served.length).toBe(ALL_KINDS.length);
});

test('serves a subset of the kinds on a management server', () => {
  expect(MANAGEMENT_KINDS.every((kind) => ALL_KINDS.includes(kind))).toBe(true);
});

test('reads descriptions on demand, and does not keep them in the shared definitions', () => {
  const described = documentedDefinitions().get('io.k8s.api.core.v1.PodSpec');

  expect(described?.description).toBe('PodSpec is a description of a pod.');
  expect(described?.properties?.['nodeName']?.description).toMatch(/^NodeName indicates in which node this pod/);
  expect(definitions.get('io.k8s.api.core.v1.PodSpec')?.properties?.['nodeName']?.description).toBeUndefined();
});
