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

test('the definitions contain the cross-field rules', () => {
  expect(JSON.stringify(definitions())).toContain('x-kubernetes-validations');
});

test('the schema annotation distinguishes the schemas of kinds', () => {
  const marks = definitions().map(({ metadata }) => metadata.annotations?.[SCHEMA_ANNOTATION]);

  expect(new Set(marks).size).toBe(marks.length);
});

describe('existing versions that ours lacks', () => {
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

  it('stay served, and are not the storage version', () => {
    const old = version('v1alpha1', { storage: true, served: false });

    const [, kept] = keepVersions(ours, crd(old)).spec.versions;

    expect(kept).toEqual({ ...old, storage: false });
  });
});
