import { createHash } from 'node:crypto';
import { customResourceDefinition } from '@fairway/api/crd/custom-resource-definition';
import { KINDS } from '@fairway/api/kinds/all';
import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { FAIRWAY_VERSION } from '../version.ts';
import { RELEASE_ANNOTATION } from './release.ts';

/** Minimum Kubernetes minor version that supports all CEL functions used in the rules: `cidr` was added last. */
export const MIN_CEL_MINOR = 31;

/** Annotation on each CRD: a hash of its schema. Writers of the kinds compare it to their own. */
export const SCHEMA_ANNOTATION = 'fairway.dev/schema';

/** The CRDs of all kinds. */
export function definitions(): CustomResourceDefinition[] {
  return KINDS.map((kind) => {
    const crd = customResourceDefinition(kind);
    const annotations = { [SCHEMA_ANNOTATION]: fingerprintOf(crd), [RELEASE_ANNOTATION]: FAIRWAY_VERSION };
    return { ...crd, metadata: { ...crd.metadata, annotations } };
  });
}

function fingerprintOf({ spec }: CustomResourceDefinition): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
}

/**
 * Our definition, plus the versions that only the existing definition has: objects may be stored in them, and an API
 * server does not allow their removal. These versions stay served, and are not the storage version.
 */
export function keepVersions(
  ownDefinition: CustomResourceDefinition,
  existing: CustomResourceDefinition | undefined,
): CustomResourceDefinition {
  const known = new Set(ownDefinition.spec.versions.map(({ name }) => name));
  const retainedVersions = (existing?.spec.versions ?? []).filter(({ name }) => !known.has(name));
  if (retainedVersions.length === 0) return ownDefinition;
  const versions = [
    ...ownDefinition.spec.versions,
    ...retainedVersions.map((version) => ({ ...version, storage: false })),
  ];
  return { ...ownDefinition, spec: { ...ownDefinition.spec, versions } };
}
