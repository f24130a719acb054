import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { GATEWAY_GROUP, GATEWAY_KINDS } from '../kinds.ts';

const ANY_OBJECT: Schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

/** Definitions of the Gateway API kinds without validation: Fairway must cope with objects that the real ones reject. */
export const DEFINITIONS: readonly CustomResourceDefinition[] = GATEWAY_KINDS.map((type) => definition(type));

export function definition(
  { plural, kind, namespaced, version }: (typeof GATEWAY_KINDS)[number],
  { served = version, schema = ANY_OBJECT }: { readonly served?: string; readonly schema?: Schema } = {},
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GATEWAY_GROUP}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api' },
    },
    spec: {
      group: GATEWAY_GROUP,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: served,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
