import type { Json } from '@fairway/kube/object/meta';
import type { Schema } from '../../../schema/schema.ts';

const LIST: Schema = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, l: { type: 'array', items: { type: 'string' } } } },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
};
export const KIND: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        l: LIST,
        s: {
          type: 'array',
          items: { type: 'string' },
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        m: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

export const NO_DEFINITIONS = new Map<string, Schema>();

/** The stored object before a patch. */
export function objectOf(spec: Json, managedFields?: Json) {
  const metadata = { name: 'x', ...(managedFields !== undefined && { managedFields }) };
  return { apiVersion: 'v1', kind: 'Pool', metadata, spec } as unknown as {
    apiVersion: string;
    kind: string;
    metadata: object;
  };
}
