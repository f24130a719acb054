import type { L7Redirect, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import { type RequestMatch, rulesBeyond, rulesOfMatch } from './route-match.ts';

/** What becomes of requests that match, unless they match one before. */
export interface Entry {
  readonly match: RequestMatch;
  /** Name of a pool, or where else requests are sent. */
  readonly target: string | L7Redirect;
}

export interface OrderedPolicy<E extends Entry> {
  readonly entry: E;
  readonly rules: readonly L7RuleFields[];
}

export interface Ordered<E extends Entry> {
  readonly policies: readonly OrderedPolicy<E>[];
  /** Redirects that can't be kept from requests that are others'. */
  readonly refused: readonly E[];
}

/** Policies that one redirect may take. */
const MAX_VARIANTS = 4;
/** Octavia's limit. */
const MAX_RULES = 50;

/**
 * Policies that do what a list of entries says, of which the first that matches counts. Octavia judges all that redirect before all that send to pools, so
 * that a redirect must also say what it does not match: for an entry before it with several rules of its own that is one policy for each of them. Pure.
 */
export function keepOrder<E extends Entry>(entries: readonly E[]): Ordered<E> {
  const policies: OrderedPolicy<E>[] = [];
  const refused: E[] = [];
  const before: E[] = [];
  for (const entry of entries) {
    const rules = rulesOfMatch(entry.match);
    const isSeen = before.some(({ match }) => rulesBeyond(match, entry.match)?.length === 0);
    if (isSeen) continue;
    if (typeof entry.target === 'string') {
      policies.push({ entry, rules });
    } else {
      const variants = variantsOf(rules, entry, before);
      if (variants === undefined) {
        refused.push(entry);
        continue;
      }
      policies.push(...variants.map((variant) => ({ entry, rules: variant })));
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
  let variants: (readonly L7RuleFields[])[] = [rules];
  for (const other of before) {
    if (typeof other.target !== 'string') continue;
    const beyond = rulesBeyond(other.match, match);
    if (beyond === undefined) continue;
    variants = variants.flatMap((variant) => {
      // What keeps it from another one may keep it from this one too.
      const isApart = beyond.some((rule) => variant.some((each) => isInverse(each, rule)));
      return isApart ? [variant] : beyond.map((rule) => [...variant, { ...rule, invert: true }]);
    });
    if (variants.length > MAX_VARIANTS || variants.some(({ length }) => length > MAX_RULES)) return undefined;
  }
  return variants;
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
