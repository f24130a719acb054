import type { KubeObject } from '@fairway/kube/object/meta';
import type { ResourceDefinition } from '../server/resource.ts';
import { storedVersions } from './status.ts';
import type { CustomResourceDefinition } from './types.ts';
import { validateDefinition } from './validate-definition.ts';

/**
 * The kind CustomResourceDefinition itself. Its schema is Kubernetes' own, from the built-in kinds' definitions.
 * The caller that serves it maintains the status (`crdStatus`) and registers the resources of established definitions
 * (`resourcesOfCrd`).
 */
export const CUSTOM_RESOURCE_DEFINITIONS: ResourceDefinition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  schema: { $ref: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition' },
  hasStatus: true,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      format: 'date-time',
      description: 'When the definition was created.',
      value: (object) => object.metadata.creationTimestamp,
    },
  ],
  strategy: {
    default: setDefaults,
    prepareForCreate(object) {
      const crd = object as CustomResourceDefinition;
      delete crd.status;
      crd.status = { acceptedNames: { plural: '', kind: '' }, conditions: [], storedVersions: storedVersions(crd) };
    },
    validate(object, old) {
      return validateDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined);
    },
  },
};

/** The kind CustomResourceDefinition for a server that calls conversion webhooks. */
export const CUSTOM_RESOURCE_DEFINITIONS_WITH_WEBHOOKS: ResourceDefinition = {
  ...CUSTOM_RESOURCE_DEFINITIONS,
  strategy: {
    ...CUSTOM_RESOURCE_DEFINITIONS.strategy,
    validate: (object, old) =>
      validateDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined, {
        conversionWebhooks: true,
      }),
  },
};

function setDefaults(object: KubeObject): void {
  const { spec, status } = object as Partial<CustomResourceDefinition>;
  for (const condition of (status?.conditions ?? []) as { type?: string; status?: string }[]) {
    // Go's zero values for missing fields.
    condition.type ??= '';
    condition.status ??= '';
  }
  const names = spec?.names;
  if (spec === undefined || typeof names?.kind !== 'string') return;
  names.singular ||= names.kind.toLowerCase();
  names.listKind ||= `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}
