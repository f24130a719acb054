import { GROUP, PROJECT_ID_ANNOTATION } from '@fairway/api/group';
import type { Namespace } from '@fairway/kube/kinds/generated/types';

/**
 * Label of a namespace that was created for a Keystone project, and of its RoleBindings: the namespace is deleted with
 * the project. Operators' namespaces have no such label.
 */
export const PROJECT_LABEL = `${GROUP}/keystone-project`;
/** Annotation of such a namespace: a digest of the roles for which all RoleBindings were created. */
export const ROLES_ANNOTATION = `${GROUP}/keystone-roles`;

export function projectIdOf({ metadata }: Namespace): string | undefined {
  return metadata.annotations?.[PROJECT_ID_ANNOTATION];
}

export function wasCreatedForProject({ metadata }: Namespace): boolean {
  return metadata.labels?.[PROJECT_LABEL] !== undefined;
}
