import { createHash } from 'node:crypto';
import { customResourceDefinition } from '@fairway/api/crd/custom-resource-definition';
import { KINDS } from '@fairway/api/kinds/all';
import type { CustomResourceDefinition } from '@fairway/kube/crd/types';
import type { ResourceType } from '@fairway/kube/object/meta';
import type { Schema } from '@fairway/kube/schema/schema';

/** Kubernetes' minor version from which an API server knows all functions that the rules use: `cidr` came last. */
export const RULES_SINCE_MINOR = 31;

export const CustomResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

export interface DefinitionOptions {
  /** Whether the API server is given the rules over several fields (CEL). */
  readonly hasRules: boolean;
}

/** On each CRD: which schema it has, whether with its rules or without. Whoever writes the kinds looks whether it is their own. */
export const SCHEMA_ANNOTATION = 'fairway.dev/schema';

/** The CRDs of all kinds. */
export function definitions({ hasRules }: DefinitionOptions): CustomResourceDefinition[] {
  return KINDS.map((kind) => {
    const crd = customResourceDefinition(kind);
    const annotations = { [SCHEMA_ANNOTATION]: fingerprintOf(crd) };
    const marked = { ...crd, metadata: { ...crd.metadata, annotations } };
    return hasRules ? marked : withoutRules(marked);
  });
}

function fingerprintOf({ spec }: CustomResourceDefinition): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
}

function withoutRules(crd: CustomResourceDefinition): CustomResourceDefinition {
  const versions = crd.spec.versions.map((version) => {
    const schema = version.schema?.openAPIV3Schema;
    return { ...version, ...(schema && { schema: { openAPIV3Schema: schemaWithoutRules(schema) } }) };
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

function schemaWithoutRules({ 'x-kubernetes-validations': _rules, ...schema }: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, schemaWithoutRules(property)]),
      ),
    }),
    ...(items && { items: schemaWithoutRules(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: schemaWithoutRules(additionalProperties) }),
  };
}

/**
 * Our definition, with the versions of the one that is there which ours lacks: objects may be stored in them, and an API
 * server refuses to lose one. They are served as they were, and nothing new is stored in them.
 */
export function keepVersions(
  ours: CustomResourceDefinition,
  existing: CustomResourceDefinition | undefined,
): CustomResourceDefinition {
  const known = new Set(ours.spec.versions.map(({ name }) => name));
  const kept = (existing?.spec.versions ?? []).filter(({ name }) => !known.has(name));
  if (kept.length === 0) return ours;
  const versions = [...ours.spec.versions, ...kept.map((version) => ({ ...version, storage: false }))];
  return { ...ours, spec: { ...ours.spec, versions } };
}
