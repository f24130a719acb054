import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '@fairway/kube/kinds/generated/types';
import { compileLabelSelector, type LabelMatcher, matchesLabels } from '@fairway/kube/object/selector';
import { matchesNodeAffinity } from './node-selection.ts';
import type { NodeState } from './node-state.ts';

/** Labels of namespaces, for terms with a namespaceSelector. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>;

interface CompiledTerm {
  readonly topologyKey: string;
  readonly selects: (pod: Pod) => boolean;
}

function compileTerm(term: PodAffinityTerm, owner: Pod, labelsOf: NamespaceLabels): CompiledTerm {
  const matcher: LabelMatcher = compileLabelSelector(term.labelSelector);
  const namespaceMatcher = term.namespaceSelector && compileLabelSelector(term.namespaceSelector);
  const own = owner.metadata.namespace ?? '';
  const named = term.namespaces ?? (term.namespaceSelector ? [] : [own]);
  const isInScope = (namespace: string) =>
    named.includes(namespace) ||
    (namespaceMatcher !== undefined && matchesLabels(namespaceMatcher, labelsOf(namespace)));
  return {
    topologyKey: term.topologyKey,
    selects: (pod) => isInScope(pod.metadata.namespace ?? '') && matchesLabels(matcher, pod.metadata.labels ?? {}),
  };
}

/**
 * Checks a pod's required affinity and anti-affinity against all nodes, and the anti-affinity of existing pods. Built once per
 * pod, then queried node by node.
 */
export class PodAffinityFilter {
  /** Topology domains, as `key=value`, in which each affinity term has a match. */
  readonly #affinity: { readonly term: CompiledTerm; readonly domains: Set<string>; readonly selectsItself: boolean }[];
  readonly #forbidden = new Set<string>();

  constructor(pod: Pod, nodes: Iterable<NodeState>, labelsOf: NamespaceLabels) {
    const affinity = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const anti = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    this.#affinity = affinity.map((term) => {
      const compiled = compileTerm(term, pod, labelsOf);
      return { term: compiled, domains: new Set<string>(), selectsItself: compiled.selects(pod) };
    });
    const antiTerms = anti.map((term) => compileTerm(term, pod, labelsOf));
    for (const state of nodes) {
      for (const other of state.pods.values()) this.#note(pod, other, state, antiTerms, labelsOf);
    }
  }

  admits(state: NodeState): boolean {
    for (const domain of domainsOf(state)) if (this.#forbidden.has(domain)) return false;
    return this.#affinity.every(({ term, domains, selectsItself }) => {
      const domain = domainOf(state, term.topologyKey);
      if (domain === undefined) return false;
      // The first pod of a group with affinity to itself may go anywhere.
      return domains.has(domain) || (domains.size === 0 && selectsItself);
    });
  }

  #note(pod: Pod, other: Pod, state: NodeState, antiTerms: readonly CompiledTerm[], labelsOf: NamespaceLabels): void {
    for (const { term, domains } of this.#affinity)
      if (term.selects(other)) addDomain(domains, state, term.topologyKey);
    for (const term of antiTerms) if (term.selects(other)) addDomain(this.#forbidden, state, term.topologyKey);
    const theirs = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    for (const term of theirs ?? []) {
      if (compileTerm(term, other, labelsOf).selects(pod)) addDomain(this.#forbidden, state, term.topologyKey);
    }
  }
}

function addDomain(domains: Set<string>, state: NodeState, topologyKey: string): void {
  const domain = domainOf(state, topologyKey);
  if (domain !== undefined) domains.add(domain);
}

function domainOf({ node }: NodeState, topologyKey: string): string | undefined {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}

function* domainsOf({ node }: NodeState): Generator<string> {
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) yield `${key}=${value}`;
}

interface Spread {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: Map<string, number>;
}

/** Counts of matching pods by topology, for `topologySpreadConstraints`; hard ones filter, all of them score. */
export class TopologySpread {
  readonly #spreads: readonly Spread[];
  readonly #selfMatch: readonly boolean[];

  constructor(pod: Pod, nodes: readonly NodeState[]) {
    const constraints = pod.spec?.topologySpreadConstraints ?? [];
    const matchers = constraints.map((constraint) => compileLabelSelector(constraint.labelSelector));
    this.#selfMatch = matchers.map((matcher) => matchesLabels(matcher, pod.metadata.labels ?? {}));
    this.#spreads = constraints.map((constraint, index) => {
      const counts = new Map<string, number>();
      for (const state of nodes) {
        const value = state.node.metadata.labels?.[constraint.topologyKey];
        if (value === undefined || !matchesNodeAffinity(pod, state.node)) continue;
        const matching = [...state.pods.values()].filter(
          (other) =>
            other.metadata.namespace === pod.metadata.namespace &&
            other.metadata.deletionTimestamp === undefined &&
            matchesLabels(matchers[index] as LabelMatcher, other.metadata.labels ?? {}),
        ).length;
        counts.set(value, (counts.get(value) ?? 0) + matching);
      }
      return { constraint, counts };
    });
  }

  admits(state: NodeState): boolean {
    return this.#spreads.every(({ constraint, counts }, index) => {
      if (constraint.whenUnsatisfiable !== 'DoNotSchedule') return true;
      const value = state.node.metadata.labels?.[constraint.topologyKey];
      if (value === undefined) return false;
      const isShort = constraint.minDomains !== undefined && counts.size < constraint.minDomains;
      const fewest = isShort ? 0 : Math.min(...counts.values());
      return (counts.get(value) ?? 0) + Number(this.#selfMatch[index]) - fewest <= constraint.maxSkew;
    });
  }

  /** The negated sum of matching pods in the node's topology domains: fewer is better. */
  score(state: NodeState): number {
    let sum = 0;
    for (const { constraint, counts } of this.#spreads) {
      sum -= counts.get(state.node.metadata.labels?.[constraint.topologyKey] ?? '') ?? 0;
    }
    return sum;
  }
}
