import { GROUP, PROJECT_ID_ANNOTATION } from '@fairway/api/group';
import type { Namespace } from '@fairway/kube/kinds/generated/types';

/** On a namespace that was made for a project of Keystone, and on its RoleBindings: it is deleted with the project. Those of operators have no such label. */
export const PROJECT_LABEL = `${GROUP}/keystone-project`;
/** On the same namespace: a digest of the roles that its RoleBindings were made for, when all of them were. */
export const ROLES_ANNOTATION = `${GROUP}/keystone-roles`;

export function projectIdOf({ metadata }: Namespace): string | undefined {
  return metadata.annotations?.[PROJECT_ID_ANNOTATION];
}

export function wasMadeForProject({ metadata }: Namespace): boolean {
  return metadata.labels?.[PROJECT_LABEL] !== undefined;
}
