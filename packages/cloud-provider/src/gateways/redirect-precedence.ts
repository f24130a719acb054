import type { L7Redirect, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import { complementRules, type RequestMatch, rulesOfMatch } from './route-match.ts';

/** The action for requests that match this entry and no earlier one. */
export interface Entry {
  readonly match: RequestMatch;
  /** Name of a pool, or a redirect target. */
  readonly target: string | L7Redirect;
}

export interface OrderedPolicy<E extends Entry> {
  readonly entry: E;
  readonly rules: readonly L7RuleFields[];
}

export interface OrderedPolicies<E extends Entry> {
  readonly policies: readonly OrderedPolicy<E>[];
  /** Redirects that would also apply to requests for other entries. */
  readonly refused: readonly E[];
}

/** Limit on policies per redirect. */
const MAX_VARIANTS = 4;
/** Octavia's limit. */
const MAX_RULES = 50;

/**
 * Policies that implement a list of entries in which the first match wins. Octavia evaluates redirect policies before pool policies, so a redirect must also
 * exclude earlier entries: an earlier entry with several rules needs one policy for each of them. Pure.
 */
export function orderRedirects<E extends Entry>(entries: readonly E[]): OrderedPolicies<E> {
  const policies: OrderedPolicy<E>[] = [];
  const refused: E[] = [];
  const before: E[] = [];
  for (const entry of entries) {
    const rules = rulesOfMatch(entry.match);
    const isSeen = before.some(({ match }) => complementRules(match, entry.match)?.length === 0);
    if (isSeen) continue;
    if (typeof entry.target === 'string') {
      policies.push({ entry, rules });
    } else {
      const ruleVariants = variantsOf(rules, entry, before);
      if (ruleVariants === undefined) {
        refused.push(entry);
        continue;
      }
      policies.push(...ruleVariants.map((variant) => ({ entry, rules: variant })));
    }
    before.push(entry);
  }
  return { policies, refused };
}

function variantsOf<E extends Entry>(
  rules: readonly L7RuleFields[],
  { match }: E,
  before: readonly E[],
): readonly (readonly L7RuleFields[])[] | undefined {
  let ruleVariants: (readonly L7RuleFields[])[] = [rules];
  for (const other of before) {
    if (typeof other.target !== 'string') continue;
    const remainingRules = complementRules(other.match, match);
    if (remainingRules === undefined) continue;
    ruleVariants = ruleVariants.flatMap((variant) => {
      // A rule that excludes another entry may already exclude this one.
      const isDisjoint = remainingRules.some((rule) => variant.some((each) => isInverse(each, rule)));
      return isDisjoint ? [variant] : remainingRules.map((rule) => [...variant, { ...rule, invert: true }]);
    });
    if (ruleVariants.length > MAX_VARIANTS || ruleVariants.some(({ length }) => length > MAX_RULES)) return undefined;
  }
  return ruleVariants;
}

function isInverse(rule: L7RuleFields, of: L7RuleFields): boolean {
  return (
    rule.invert === true &&
    rule.type === of.type &&
    rule.compare_type === of.compare_type &&
    rule.key === of.key &&
    rule.value === of.value
  );
}
