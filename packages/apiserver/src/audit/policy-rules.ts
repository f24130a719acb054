import type { UserInfo } from '../auth/user.ts';
import type { ResourcePath } from '../server/router.ts';
import type { AuditLevel } from './audit-level.ts';
import type { PolicyFile, PolicyRule } from './policy-file.ts';

/** The request attributes that policy rules match. */
export interface PolicyAttributes {
  /** The authenticated user, not the impersonated one; undefined if unauthenticated. */
  readonly user: UserInfo | undefined;
  readonly verb: string;
  /** Without the query. */
  readonly path: string;
  /** Undefined for non-resource paths. */
  readonly resource: ResourcePath | undefined;
}

/** A policy's decision about a request. */
export interface PolicyRuling {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

export type AuditPolicy = (attributes: PolicyAttributes) => PolicyRuling;

const NOT_AUDITED: PolicyRuling = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/**
 * A policy read from a file, with kube-apiserver's semantics: the first matching rule applies, and requests without one
 * are not audited.
 */
export function auditPolicyOf({ rules, omitStages, omitManagedFields }: PolicyFile): AuditPolicy {
  const compiled = rules.map((rule) => ({
    rule,
    ruling: {
      level: rule.level,
      omitStages: new Set<string>([...omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }));
  return (attributes) => compiled.find(({ rule }) => matches(rule, attributes))?.ruling ?? NOT_AUDITED;
}

function matches(rule: PolicyRule, attributes: PolicyAttributes): boolean {
  const { user, verb, path, resource } = attributes;
  if (rule.users.length > 0 && (user === undefined || !rule.users.includes(user.username))) return false;
  if (rule.userGroups.length > 0 && user?.groups.some((group) => rule.userGroups.includes(group)) !== true)
    return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) {
    return resource !== undefined && matchesResource(rule, resource);
  }
  if (rule.nonResourceURLs.length === 0) return true;
  return resource === undefined && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, path));
}

function matchesResource({ namespaces, resources }: PolicyRule, path: ResourcePath): boolean {
  if (namespaces.length > 0 && !namespaces.includes(namespaceOf(path))) return false;
  if (resources.length === 0) return true;
  const [subresource = ''] = path.subresource.split('/', 1);
  const combined = subresource === '' ? path.plural : `${path.plural}/${subresource}`;
  return resources.some(({ group, resources: patterns, resourceNames }) => {
    if (group !== path.group) return false;
    if (patterns.length === 0) return true;
    if (resourceNames.length > 0 && !resourceNames.includes(path.name)) return false;
    return patterns.some(
      (pattern) =>
        pattern === '*' ||
        pattern === combined ||
        (subresource !== '' && pattern === `*/${subresource}`) ||
        pattern === `${path.plural}/*`,
    );
  });
}

/** A request for a namespace itself counts as a request in that namespace. */
export function namespaceOf({ group, plural, namespace, name }: ResourcePath): string {
  return group === '' && plural === 'namespaces' ? name : namespace;
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
