import type { Definitions, Schema } from '../schema/schema.ts';
import type { ResourceDefinition } from '../server/resource.ts';

/** A kind with all features, for the tests in this directory. */
export const CRONTABS: ResourceDefinition = {
  group: 'stable.example.com',
  version: 'v1',
  plural: 'crontabs',
  kind: 'CronTab',
  namespaced: true,
  hasStatus: true,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  schema: {
    type: 'object',
    description: 'CronTab runs things on time.',
    properties: {
      spec: {
        type: 'object',
        required: ['schedule'],
        properties: {
          schedule: { type: 'string', pattern: '^[*]', maxLength: 9, default: '* * *' },
          policy: { type: 'string', enum: ['Allow', 'Forbid'] },
          replicas: { type: 'integer', format: 'int32', minimum: -1.5 },
          resources: { type: 'object', additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
          template: { $ref: 'io.x.Template', description: 'What to run.' },
          port: { 'x-kubernetes-int-or-string': true },
          note: { type: 'string', nullable: true, description: 'May be null.' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
          either: { type: 'object', properties: { a: { type: 'string' } }, oneOf: [{ required: ['a'] }] },
        },
      },
      status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    },
  },
};

export const NODES: ResourceDefinition = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  schema: { $ref: 'io.k8s.api.core.v1.Node' },
};

export const REVIEWS: ResourceDefinition = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  verbs: ['create'],
  schema: { type: 'object', properties: { spec: { type: 'object' } } },
  review: (object) => Promise.resolve(object),
};

export const DEFINITIONS: Definitions = new Map<string, Schema>([
  ['io.k8s.api.core.v1.Node', { type: 'object', properties: { spec: { $ref: 'io.k8s.api.core.v1.NodeSpec' } } }],
  ['io.k8s.api.core.v1.NodeSpec', { type: 'object', properties: { providerID: { type: 'string' } } }],
  ['io.x.Template', { type: 'object', properties: { next: { $ref: 'io.x.Template' } } }],
]);
