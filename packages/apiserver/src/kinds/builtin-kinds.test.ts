import * as resources from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { ALL_KINDS, kindOf, MANAGEMENT_KINDS } from './builtin-kinds.ts';
import { builtinDefinitions, describedDefinitions } from './definitions.ts';

const definitions = builtinDefinitions();

test('every kind has a definition with its group, version and kind', () => {
  expect(ALL_KINDS).not.toEqual([]);
  for (const kind of ALL_KINDS) {
    const schema = definitions.get(kind.schema.$ref ?? '');
    const { group, version } = kind;

    expect(schema?.['x-kubernetes-group-version-kind']).toEqual([{ group, version, kind: kind.kind }]);
  }
});

test('a kind has a status subresource where its schema has a status, save those that nothing reports', () => {
  const wrong = ALL_KINDS.filter((kind) => {
    const status = definitions.get(kind.schema.$ref ?? '')?.properties?.['status'];
    return (status !== undefined) !== (kind.hasStatus === true);
  });

  expect(wrong.map(({ plural }) => plural)).toEqual([]);
});

test('names of resources, short names and columns are unambiguous', () => {
  const names = ALL_KINDS.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(new Set(names).size).toBe(names.length);

  const doubled = ALL_KINDS.filter(
    ({ columns = [] }) => new Set(columns.map(({ name }) => name)).size < columns.length,
  );
  expect(doubled).toEqual([]);
  const shortNames = ALL_KINDS.filter(({ version, group }) => version === 'v1' && group !== 'events.k8s.io').flatMap(
    ({ shortNames = [] }) => shortNames,
  );
  const repeated = shortNames.filter((name, index) => shortNames.indexOf(name) !== index);
  expect(repeated).toEqual([]);
});

test('`kubectl get all` shows what upstream shows', () => {
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

test('a typed resource names a kind with the same scope', () => {
  const served = Object.values(resources).filter(
    ({ plural }) => plural !== 'customresourcedefinitions' && plural !== 'bindings',
  );

  const wrong = served.filter((resource) => kindOf(resource).namespaced !== resource.namespaced);
  expect(wrong).toEqual([]);
  expect(served.length).toBe(ALL_KINDS.length);
});

test('a management server has kinds of the same set', () => {
  expect(MANAGEMENT_KINDS.every((kind) => ALL_KINDS.includes(kind))).toBe(true);
});

test('descriptions come on request and are not kept in the shared definitions', () => {
  const described = describedDefinitions().get('io.k8s.api.core.v1.PodSpec');

  expect(described?.description).toBe('PodSpec is a description of a pod.');
  expect(described?.properties?.['nodeName']?.description).toMatch(/^NodeName indicates in which node this pod/);
  expect(definitions.get('io.k8s.api.core.v1.PodSpec')?.properties?.['nodeName']?.description).toBeUndefined();
});
