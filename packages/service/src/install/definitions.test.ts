import type { CrdVersion, CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { describe, expect, it, test } from 'vitest';
import { definitions, keepVersions, SCHEMA_ANNOTATION } from './definitions.ts';

function version(name: string, changes: Partial<CrdVersion> = {}): CrdVersion {
  return { name, served: true, storage: false, ...changes };
}

function crd(...versions: CrdVersion[]): CustomResourceDefinition {
  const names = { plural: 'things', kind: 'Thing' };
  return {
    metadata: { name: 'things.fairway.dev' },
    spec: { group: 'fairway.dev', scope: 'Cluster', names, versions },
  };
}

test('the definitions have the rules over several fields', () => {
  expect(JSON.stringify(definitions())).toContain('x-kubernetes-validations');
});

test('the mark of a schema tells the schemas of kinds apart', () => {
  const marks = definitions().map(({ metadata }) => metadata.annotations?.[SCHEMA_ANNOTATION]);

  expect(new Set(marks).size).toBe(marks.length);
});

describe('versions that are there and ours lacks', () => {
  const ours = crd(version('v1', { storage: true }));

  it.each([
    { existing: undefined, names: ['v1'], reason: 'nothing is there yet' },
    { existing: crd(version('v1', { storage: true })), names: ['v1'], reason: 'ours is there' },
    {
      existing: crd(version('v1alpha1', { storage: true })),
      names: ['v1', 'v1alpha1'],
      reason: 'objects are stored in the old one',
    },
    {
      existing: crd(version('v1'), version('v2', { storage: true })),
      names: ['v1', 'v2'],
      reason: 'a later Fairway was here',
    },
  ])('$names: $reason', ({ existing, names }) => {
    expect(keepVersions(ours, existing).spec.versions.map(({ name }) => name)).toEqual(names);
  });

  it('are served as they were, and store nothing new', () => {
    const old = version('v1alpha1', { storage: true, served: false });

    const [, kept] = keepVersions(ours, crd(old)).spec.versions;

    expect(kept).toEqual({ ...old, storage: false });
  });
});
