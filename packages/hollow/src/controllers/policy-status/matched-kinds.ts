import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { ServedKinds } from '@fairway/apiserver/server/served-kinds';
import type { NamedRuleWithOperations, ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';

/** As upstream: the maximum number of kinds against which one policy's expressions are checked. */
const MAX_KINDS = 10;

/** The kinds against which a policy's expressions can be checked. */
export interface PolicyKinds {
  /** Sorted by group, version and kind. */
  readonly matched: readonly ResourceDefinition[];
  readonly params: ResourceDefinition | undefined;
}

/** The kinds that a policy lists; rules with wildcards and subresources are ignored. */
export function kindsOfPolicy({ spec }: ValidatingAdmissionPolicy, kinds: Omit<ServedKinds, 'onChange'>): PolicyKinds {
  const found = new Set<ResourceDefinition>();
  for (const [group, version, plural] of resourcesOf(spec.matchConstraints?.resourceRules ?? [])) {
    const kind = kinds.forResource(group, version, plural);
    if (kind !== undefined) found.add(kind);
    if (found.size === MAX_KINDS) break;
  }
  const { apiVersion, kind } = spec.paramKind ?? {};
  return {
    matched: [...found].toSorted((a, b) => (nameOfKind(a) < nameOfKind(b) ? -1 : 1)),
    params: apiVersion && kind ? kinds.ofKind(apiVersion, kind) : undefined,
  };
}

/** A kind in the format of Go's `GroupVersionKind`. */
export function nameOfKind({ group, version, kind }: ResourceDefinition): string {
  return `${group}/${version}, Kind=${kind}`;
}

type Resource = readonly [group: string, version: string, plural: string];

/** Rules may combine thousands of groups, versions and resources. */
const MAX_RESOURCES = 1000;

function resourcesOf(rules: readonly NamedRuleWithOperations[]): Iterable<Resource> {
  return rules.values().flatMap(resourcesOfRule).take(MAX_RESOURCES);
}

function* resourcesOfRule({
  apiGroups = [],
  apiVersions = [],
  resources = [],
}: NamedRuleWithOperations): Generator<Resource> {
  if ([...apiGroups, ...apiVersions].some((value) => value.includes('*'))) return;
  const plurals = resources.filter((plural) => !/[*/]/.test(plural)).toSorted();
  for (const group of apiGroups.toSorted()) {
    for (const version of apiVersions.toSorted()) for (const plural of plurals) yield [group, version, plural];
  }
}
