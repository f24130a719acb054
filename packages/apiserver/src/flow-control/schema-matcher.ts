import type {
  FlowcontrolV1Subject,
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '@fairway/kube/kinds/generated/types';
import type { RequestAttributes, ResourceAttributes, UserInfo } from '../auth/user.ts';
import { serviceAccountUsername } from '../auth/well-known-users.ts';

/** Whether a FlowSchema matches a request. */
export type SchemaMatcher = (attributes: RequestAttributes) => boolean;

/** Undefined matches everything: `*`. */
type MatchSet = ReadonlySet<string> | undefined;

interface Rule {
  readonly matchesUser: (user: UserInfo) => boolean;
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
}

interface ResourceRule {
  readonly verbs: MatchSet;
  readonly groups: MatchSet;
  readonly resources: MatchSet;
  readonly namespaces: MatchSet;
  readonly clusterScope: boolean;
}

interface PathRule {
  readonly verbs: MatchSet;
  readonly matchesPath: (path: string) => boolean;
}

/** Maximum comparisons per request: the schema, its rules, and their paths. */
export function costOf({ spec }: FlowSchema): number {
  let cost = 1;
  for (const { resourceRules = [], nonResourceRules = [], subjects } of spec.rules ?? []) {
    cost += subjects.length + resourceRules.length;
    for (const { nonResourceURLs } of nonResourceRules) cost += nonResourceURLs.length;
  }
  return cost;
}

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema */
export function compileSchema({ spec }: FlowSchema): SchemaMatcher {
  const rules = (spec.rules ?? []).map(compileRule);
  return (attributes) => rules.some((rule) => matchesRule(rule, attributes));
}

function matchesRule({ matchesUser, resources, paths }: Rule, attributes: RequestAttributes): boolean {
  if (!matchesUser(attributes.user)) return false;
  if ('path' in attributes) {
    const { verb, path } = attributes;
    return paths.some(({ verbs, matchesPath }) => has(verbs, verb) && matchesPath(path));
  }
  return resources.some((rule) => matchesResource(rule, attributes));
}

function matchesResource(
  rule: ResourceRule,
  { verb, group, resource, subresource, namespace }: ResourceAttributes,
): boolean {
  if (!has(rule.verbs, verb) || !has(rule.groups, group)) return false;
  if (rule.resources !== undefined) {
    if (!rule.resources.has(subresource === '' ? resource : `${resource}/${subresource}`)) return false;
  }
  return namespace === '' ? rule.clusterScope : has(rule.namespaces, namespace);
}

function has(matchSet: MatchSet, value: string): boolean {
  return matchSet === undefined || matchSet.has(value);
}

function matchSetOf(values: readonly string[] = []): MatchSet {
  return values.length === 1 && values[0] === '*' ? undefined : new Set(values);
}

function compileRule({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): Rule {
  return {
    matchesUser: compileSubjects(subjects),
    resources: resourceRules.map(compileResources),
    paths: nonResourceRules.map(compilePaths),
  };
}

function compileSubjects(subjects: readonly FlowcontrolV1Subject[]): (user: UserInfo) => boolean {
  const users = new Set<string>();
  const groups = new Set<string>();
  const accounts: string[] = [];
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user) users.add(user.name);
    if (kind === 'Group' && group) groups.add(group.name);
    if (kind !== 'ServiceAccount' || !serviceAccount) continue;
    const { namespace, name } = serviceAccount;
    if (name === '*') accounts.push(serviceAccountUsername(namespace, ''));
    else users.add(serviceAccountUsername(namespace, name));
  }
  if (users.has('*') || groups.has('*')) return () => true;
  return ({ username, groups: own }) => {
    for (const group of own) if (groups.has(group)) return true;
    return users.has(username) || accounts.some((prefix) => username.startsWith(prefix));
  };
}

function compileResources({ verbs, apiGroups, resources, namespaces, clusterScope }: ResourcePolicyRule): ResourceRule {
  return {
    verbs: matchSetOf(verbs),
    groups: matchSetOf(apiGroups),
    resources: matchSetOf(resources),
    namespaces: matchSetOf(namespaces),
    clusterScope: clusterScope ?? false,
  };
}

/** A path matches itself and, like upstream, everything below it. */
function compilePaths({ verbs, nonResourceURLs }: NonResourcePolicyRule): PathRule {
  const exact = matchSetOf(nonResourceURLs);
  if (exact === undefined) return { verbs: matchSetOf(verbs), matchesPath: () => true };
  const prefixes = nonResourceURLs
    .map((url) => url.replace(/\*$/, ''))
    .map((url) => (url.endsWith('/') ? url : `${url}/`));
  return {
    verbs: matchSetOf(verbs),
    matchesPath: (path) => exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)),
  };
}
