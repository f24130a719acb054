import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { RequestContext, ResourceDefinition } from '../../server/resource.ts';
import type { Access } from '../access.ts';
import type { UserInfo } from '../user.ts';

export interface ReviewContext {
  readonly user: UserInfo;
  /** Taken from the request's path. */
  readonly namespace: string;
  readonly access: Access;
}

/** A kind that is only created and returned, never stored. */
export function reviewDefinition<T extends KubeObject>(
  group: 'authorization.k8s.io' | 'authentication.k8s.io',
  plural: string,
  kind: string,
  namespaced: boolean,
  response: (review: T, context: ReviewContext) => Promise<T>,
): ResourceDefinition {
  return {
    group,
    version: 'v1',
    plural,
    kind,
    namespaced,
    singular: kind.toLowerCase(),
    schema: { $ref: `io.k8s.api.${group.slice(0, group.indexOf('.'))}.v1.${kind}` },
    verbs: ['create'],
    hasGeneration: false,
    review: (object, { user, namespace, access }) =>
      response(object as T, { user, namespace, access: accessOf(access) }),
  };
}

export function accessOf(access: RequestContext['access']): Access {
  if (access !== undefined) return access;
  throw new ApiError(500, 'InternalError', 'Internal error occurred: this server was given no access rules to review');
}
