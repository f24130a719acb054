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

interface Matchers {
  readonly labels: LabelMatcher;
  readonly namespaces: LabelMatcher | undefined;
}

const matchersByTerm = new WeakMap<PodAffinityTerm, Matchers>();

function matchersOf(term: PodAffinityTerm): Matchers {
  const cached = matchersByTerm.get(term);
  if (cached) return cached;
  const namespaces = term.namespaceSelector && compileLabelSelector(term.namespaceSelector);
  const matchers = { labels: compileLabelSelector(term.labelSelector), namespaces };
  matchersByTerm.set(term, matchers);
  return matchers;
}

function compileTerm(term: PodAffinityTerm, owner: Pod, labelsOf: NamespaceLabels): CompiledTerm {
  const matchers = matchersOf(term);
  const own = owner.metadata.namespace ?? '';
  const named = term.namespaces ?? (term.namespaceSelector ? [] : [own]);
  const isInScope = (namespace: string) =>
    named.includes(namespace) ||
    (matchers.namespaces !== undefined && matchesLabels(matchers.namespaces, labelsOf(namespace)));
  return {
    topologyKey: term.topologyKey,
    selects: (pod) =>
      isInScope(pod.metadata.namespace ?? '') && matchesLabels(matchers.labels, pod.metadata.labels ?? {}),
  };
}

/**
 * Checks a pod's required affinity and anti-affinity against all nodes, and the anti-affinity of existing pods. Built once per
 * pod, then queried node by node.
 */
export class PodAffinityFilter {
  readonly #pod: Pod;
  readonly #labelsOf: NamespaceLabels;
  /** Topology domains, as `key=value`, in which each affinity term has a match. */
  readonly #affinity: { readonly term: CompiledTerm; readonly domains: Set<string>; readonly selectsItself: boolean }[];
  readonly #antiAffinityTerms: readonly CompiledTerm[];
  readonly #forbiddenDomains = new Set<string>();

  constructor(pod: Pod, nodes: Iterable<NodeState>, labelsOf: NamespaceLabels, source?: PodAffinityFilter) {
    const affinity = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const antiAffinityTerms = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    this.#pod = pod;
    this.#labelsOf = labelsOf;
    this.#affinity = affinity.map((term) => {
      const compiled = compileTerm(term, pod, labelsOf);
      return { term: compiled, domains: new Set<string>(), selectsItself: compiled.selects(pod) };
    });
    this.#antiAffinityTerms = antiAffinityTerms.map((term) => compileTerm(term, pod, labelsOf));
    if (source) {
      for (const domain of source.#forbiddenDomains) this.#forbiddenDomains.add(domain);
      for (const [index, { domains }] of source.#affinity.entries()) {
        for (const domain of domains) this.#affinity[index]?.domains.add(domain);
      }
    }
    const { hasTerms } = this;
    for (const state of nodes) {
      for (const other of (hasTerms ? state.pods : state.podsWithAntiAffinity).values()) this.note(other, state);
    }
  }

  /** A copy in which additional pods are counted separately. */
  clone(): PodAffinityFilter {
    return new PodAffinityFilter(this.#pod, [], this.#labelsOf, this);
  }

  /** Whether the pod's placement depends on other pods. */
  get hasTerms(): boolean {
    return this.#affinity.length + this.#antiAffinityTerms.length > 0;
  }

  admits(state: NodeState): boolean {
    if (this.#forbiddenDomains.size > 0) {
      for (const domain of domainsOf(state)) if (this.#forbiddenDomains.has(domain)) return false;
    }
    return this.#affinity.every(({ term, domains, selectsItself }) => {
      const domain = domainOf(state, term.topologyKey);
      if (domain === undefined) return false;
      // The first pod of a group with affinity to itself may go anywhere.
      return domains.has(domain) || (domains.size === 0 && selectsItself);
    });
  }

  /** Adds another pod on a node to the counts. */
  note(other: Pod, state: NodeState): void {
    for (const { term, domains } of this.#affinity)
      if (term.selects(other)) addDomain(domains, state, term.topologyKey);
    for (const term of this.#antiAffinityTerms)
      if (term.selects(other)) addDomain(this.#forbiddenDomains, state, term.topologyKey);
    const otherAntiAffinityTerms =
      other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    for (const term of otherAntiAffinityTerms ?? []) {
      if (compileTerm(term, other, this.#labelsOf).selects(this.#pod))
        addDomain(this.#forbiddenDomains, state, term.topologyKey);
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
  readonly matcher: LabelMatcher;
  readonly selectsItself: boolean;
  /** Matching pods by the value of the topology key. */
  readonly counts: Map<string, number>;
  /** The lowest count; computed on first use. */
  minCount: number | undefined;
}

/**
 * Counts of matching pods by topology, for `topologySpreadConstraints`. Hard constraints filter nodes; all constraints
 * score them.
 */
export class TopologySpread {
  readonly #pod: Pod;
  readonly #spreads: readonly Spread[];

  constructor(pod: Pod, nodes: Iterable<NodeState>, source?: TopologySpread) {
    this.#pod = pod;
    this.#spreads = source
      ? source.#spreads.map((spread) => ({ ...spread, counts: new Map(spread.counts) }))
      : spreadsOf(pod);
    if (this.#spreads.length > 0) for (const state of nodes) this.addNode(state);
  }

  /** A copy in which additional pods are counted separately. */
  clone(): TopologySpread {
    return new TopologySpread(this.#pod, [], this);
  }

  get hasConstraints(): boolean {
    return this.#spreads.length > 0;
  }

  admits(state: NodeState): boolean {
    return this.#spreads.every((spread) => {
      const { constraint, counts, selectsItself } = spread;
      if (constraint.whenUnsatisfiable !== 'DoNotSchedule') return true;
      const value = state.node.metadata.labels?.[constraint.topologyKey];
      if (value === undefined) return false;
      const lacksDomains = constraint.minDomains !== undefined && counts.size < constraint.minDomains;
      spread.minCount ??= Math.min(...counts.values());
      const minCount = lacksDomains ? 0 : spread.minCount;
      return (counts.get(value) ?? 0) + Number(selectsItself) - minCount <= constraint.maxSkew;
    });
  }

  /** Adds a node and its pods to the counts. */
  addNode(state: NodeState): void {
    if (this.#spreads.length === 0 || !matchesNodeAffinity(this.#pod, state.node)) return;
    for (const spread of this.#spreads) {
      const value = state.node.metadata.labels?.[spread.constraint.topologyKey];
      if (value === undefined) continue;
      let matching = 0;
      for (const other of state.pods.values()) if (this.#counts(spread, other)) matching++;
      addCount(spread, value, matching);
    }
  }

  /** Adds another pod on a node to the counts. */
  note(other: Pod, state: NodeState): void {
    for (const spread of this.#spreads) {
      const value = state.node.metadata.labels?.[spread.constraint.topologyKey];
      if (value === undefined || !this.#counts(spread, other) || !matchesNodeAffinity(this.#pod, state.node)) continue;
      addCount(spread, value, 1);
    }
  }

  /** The negated sum of matching pods in the node's topology domains: higher is better. */
  score(state: NodeState): number {
    let sum = 0;
    for (const { constraint, counts } of this.#spreads) {
      sum -= counts.get(state.node.metadata.labels?.[constraint.topologyKey] ?? '') ?? 0;
    }
    return sum;
  }

  #counts({ matcher }: Spread, { metadata }: Pod): boolean {
    if (metadata.namespace !== this.#pod.metadata.namespace || metadata.deletionTimestamp !== undefined) return false;
    return matchesLabels(matcher, metadata.labels ?? {});
  }
}

function spreadsOf({ metadata, spec }: Pod): Spread[] {
  return (spec?.topologySpreadConstraints ?? []).map((constraint) => {
    const matcher = compileLabelSelector(constraint.labelSelector);
    const selectsItself = matchesLabels(matcher, metadata.labels ?? {});
    return { constraint, matcher, selectsItself, counts: new Map<string, number>(), minCount: undefined };
  });
}

function addCount(spread: Spread, value: string, by: number): void {
  spread.counts.set(value, (spread.counts.get(value) ?? 0) + by);
  spread.minCount = undefined;
}
