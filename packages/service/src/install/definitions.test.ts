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

test('includes the cross-field rules in the definitions', () => {
  expect(JSON.stringify(definitions())).toContain('x-kubernetes-validations');
});

test('sets different schema annotations for different kinds', () => {
  const schemaHashes = definitions().map(({ metadata }) => metadata.annotations?.[SCHEMA_ANNOTATION]);

  expect(new Set(schemaHashes).size).toBe(schemaHashes.length);
});

describe('the definition to apply', () => {
  const ownDefinition = crd(version('v1', { storage: true }));

  it.each([
    { existing: undefined, names: ['v1'], reason: 'no definition exists yet' },
    { existing: crd(version('v1', { storage: true })), names: ['v1'], reason: 'our definition exists' },
    {
      existing: crd(version('v1alpha1', { storage: true })),
      names: ['v1', 'v1alpha1'],
      reason: 'objects are stored in the old version',
    },
    {
      existing: crd(version('v1'), version('v2', { storage: true })),
      names: ['v1', 'v2'],
      reason: 'a later release was installed',
    },
  ])('has versions $names: $reason', ({ existing, names }) => {
    expect(keepVersions(ownDefinition, existing).spec.versions.map(({ name }) => name)).toEqual(names);
  });

  it('keeps an existing version unchanged, except that it is no longer the storage version', () => {
    const old = version('v1alpha1', { storage: true, served: false });

    const [, kept] = keepVersions(ownDefinition, crd(old)).spec.versions;

    expect(kept).toEqual({ ...old, storage: false });
  });
});
