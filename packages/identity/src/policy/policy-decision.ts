import type { NonResourceAttributes, RequestAttributes, ResourceAttributes } from '@fairway/apiserver/auth/user';
import { patternAllows } from './permission-pattern.ts';
import type { Policy, PolicyEntry } from './policy.ts';

/** The user to authorize. The fields are sets: a request may contain many names, and so may a policy. */
export interface PolicySubject {
  /** Names and IDs that may be matched. */
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** The project's name and ID. */
  readonly projects: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

/** Whether any entry allows the request. A policy never denies a request, so other authorizers may still allow it. */
export function policyAllows(policy: Policy, subject: PolicySubject, attributes: RequestAttributes): boolean {
  return policy.some((entry) => isAmongUsers(entry, subject) && entryAllows(entry, subject, attributes));
}

/** Whether the user has all roles, in any of the projects. An entry without projects matches no users. */
function isAmongUsers({ users }: PolicyEntry, { projects, roles }: PolicySubject): boolean {
  if (users === undefined) return true;
  const { roles: required = [], projects: allowedProjects = [] } = users;
  return required.every((role) => roles.has(role)) && allowedProjects.some((project) => projects.has(project));
}

/** Permissions take precedence over the resource form of the same entry. */
function entryAllows(entry: PolicyEntry, subject: PolicySubject, attributes: RequestAttributes): boolean {
  if ('path' in attributes) {
    const { nonresource_permissions: permissions, nonresource } = entry;
    if (permissions !== undefined) return pathPermitted(permissions, attributes);
    return nonresource !== undefined && isPath(nonresource, attributes) && isMatch(entry, subject);
  }
  const { resource_permissions: permissions, resource } = entry;
  if (permissions !== undefined) return resourcePermitted(permissions, attributes);
  return resource !== undefined && isResource(resource, attributes) && isMatch(entry, subject);
}

function isResource(
  { verbs, resources, version, namespace }: NonNullable<PolicyEntry['resource']>,
  attributes: ResourceAttributes,
): boolean {
  const { resource, subresource } = attributes;
  const names = subresource === '' ? [resource] : [`${resource}/*`, `${resource}/${subresource}`];
  return (
    isAnyOf(version, attributes.group) &&
    isAnyOf(namespace, attributes.namespace) &&
    ['*', ...names].some((name) => resources.includes(name)) &&
    ['*', attributes.verb].some((verb) => verbs.includes(verb))
  );
}

function isPath({ verbs, path }: NonNullable<PolicyEntry['nonresource']>, attributes: NonResourceAttributes): boolean {
  // An entry with an empty verb is skipped.
  if (verbs.includes('') || !['*', attributes.verb].some((verb) => verbs.includes(verb))) return false;
  if (isAnyOf(path, attributes.path)) return true;
  return path.endsWith('*') && attributes.path.startsWith(withoutStars(path));
}

/** Removes trailing stars. */
function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end -= 1;
  return path.slice(0, end);
}

function isAnyOf(required: string, value: string): boolean {
  return required === '*' || required === value;
}

function isMatch({ match }: PolicyEntry, { users, groups, projects, roles }: PolicySubject): boolean {
  const known = { user: users, group: groups, project: projects, role: roles };
  return match.every(({ type, values }) => values.some((value) => value === '*' || known[type].has(value)));
}

type PermissionMap = NonNullable<PolicyEntry['resource_permissions']>;

/** This form ignores subresources and API groups. */
function resourcePermitted(permissions: PermissionMap, { namespace, resource, verb }: ResourceAttributes): boolean {
  return Object.entries(permissions).some(([key, verbs]) => {
    const [namespaces, resources, ...rest] = key.split('/').map((part) => part.trim().toLowerCase());
    if (namespaces === undefined || resources === undefined || rest.length > 0) return false;
    // Requests without a namespace match only `*`.
    if (namespace === '' && namespaces !== '*') return false;
    const allowed = verbs.map((each) => each.toLowerCase());
    if (!allowed.includes('*') && !allowed.includes(verb)) return false;
    return patternAllows(namespaces, namespace) && patternAllows(resources, resource);
  });
}

function pathPermitted(permissions: PermissionMap, { path, verb }: NonResourceAttributes): boolean {
  return Object.entries(permissions).some(
    ([key, verbs]) => key === path && ['*', verb].some((each) => verbs.includes(each)),
  );
}
