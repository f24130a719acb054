import type { PolicyRule } from '../kinds/generated/types.ts';
import type { ResourceType } from '../object/meta.ts';

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'impersonate';

/** Verbs allowed on the objects of a kind. */
export interface Right {
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly subresource?: 'status' | 'finalizers';
  /** Names of the objects; all by default. */
  readonly names?: readonly string[];
  /** Only in this namespace; in all namespaces by default. */
  readonly namespace?: string;
  readonly verbs: readonly Verb[];
}

/** The verbs that an informer needs. */
export const READ = ['get', 'list', 'watch'] as const satisfies readonly Verb[];

/**
 * The rules of an RBAC role that grants exactly the permissions that apply in `namespace`, or by default in all
 * namespaces. Kinds with the same verbs share a rule.
 */
export function policyRules(rights: readonly Right[], namespace?: string): PolicyRule[] {
  const byResource = new Map<string, { readonly right: Right; readonly verbs: Set<Verb> }>();
  for (const right of rights.filter((each) => each.namespace === namespace)) {
    const key = JSON.stringify([right.type.group, resourceOf(right), right.names]);
    const known = byResource.get(key) ?? { right, verbs: new Set() };
    for (const verb of right.verbs) known.verbs.add(verb);
    byResource.set(key, known);
  }
  const rules = new Map<string, PolicyRule & { resources: string[] }>();
  for (const { right, verbs } of byResource.values()) {
    const key = JSON.stringify([right.type.group, right.names, [...verbs].sort()]);
    const known = rules.get(key);
    if (known) known.resources.push(resourceOf(right));
    else rules.set(key, ruleOf(right, verbs));
  }
  return [...rules.values()];
}

function ruleOf(right: Right, verbs: ReadonlySet<Verb>): PolicyRule & { resources: string[] } {
  return {
    apiGroups: [right.type.group],
    resources: [resourceOf(right)],
    ...(right.names && { resourceNames: [...right.names] }),
    verbs: [...verbs],
  };
}

/** The resource as RBAC writes it: `machines`, `machines/status`. */
function resourceOf({ type, subresource }: Right): string {
  return subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
}
