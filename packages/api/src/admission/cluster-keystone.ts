import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { ClusterAdmission } from './cluster-admission.ts';

const FIELD = 'spec.apiServer.keystone';
const MAX_ROLES = 32;
const MAX_ROLE_LENGTH = 255;

/** Rejects Keystone authentication where this installation doesn't support it. A stored value is not rejected again; a condition reports it. */
export function keystoneErrors({ cluster, old, keystoneProblem }: ClusterAdmission): FieldError[] {
  const { keystone } = cluster.spec.apiServer;
  if (keystone === undefined || isDeepStrictEqual(keystone, old?.spec.apiServer.keystone)) return [];
  if (keystoneProblem !== undefined) return [{ type: 'FieldValueForbidden', field: FIELD, detail: keystoneProblem }];
  return [...projectErrors(keystone.projects ?? []), ...roleErrors(Object.keys(keystone.roles ?? {}))];
}

function projectErrors(projects: readonly string[]): FieldError[] {
  return projects.flatMap((value, index): FieldError[] =>
    projects.indexOf(value) === index
      ? []
      : [{ type: 'FieldValueDuplicate', field: `${FIELD}.projects[${index}]`, value, detail: '' }],
  );
}

function roleErrors(roles: readonly string[]): FieldError[] {
  const invalid = (value: unknown, detail: string): FieldError[] => [
    { type: 'FieldValueInvalid', field: `${FIELD}.roles`, value, detail },
  ];
  if (roles.length > MAX_ROLES) return invalid(roles.length, `must have at most ${MAX_ROLES} roles`);
  return roles.flatMap((role) => {
    if (role !== '' && role.length <= MAX_ROLE_LENGTH && role === role.trim() && !/\p{Cc}/u.test(role)) return [];
    return invalid(
      role.slice(0, 40),
      `the name of a role must have 1 to ${MAX_ROLE_LENGTH} characters, without line breaks or surrounding spaces`,
    );
  });
}
