import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { Route } from './route.ts';

/** Octavia's maximum length for a rule's value. */
export const MAX_VALUE_LENGTH = 255;

/**
 * The L7 rules of a route, which must all match. Pure.
 * https://docs.openstack.org/api-ref/load-balancer/v2/#create-an-l7-rule
 */
export function rulesOf({ host, path }: Pick<Route, 'host' | 'path'>): readonly L7RuleFields[] {
  return orMatchAll([...hostRules(host), ...pathRules(path)]);
}

/** A policy without any rule matches nothing. */
export function orMatchAll(rules: readonly L7RuleFields[]): readonly L7RuleFields[] {
  return rules.length > 0 ? rules : [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/' }];
}

export function fitsRuleLimits(route: Pick<Route, 'host' | 'path'>): boolean {
  return fitLengthLimit(rulesOf(route));
}

export function fitLengthLimit(rules: readonly L7RuleFields[]): boolean {
  return rules.every(({ value }) => value.length <= MAX_VALUE_LENGTH);
}

/**
 * `wildcard` is the pattern that replaces the asterisk. Clients may append the port. Octavia ignores case in host
 * names.
 */
export function hostRules(host: string, wildcard: 'one label' | 'labels' = 'one label'): readonly L7RuleFields[] {
  if (host === '') return [];
  const labelPattern = wildcard === 'one label' ? '[^.:]+' : '[^:]+';
  const name = host.startsWith('*.') ? `${labelPattern}${literal(host.slice(1))}` : literal(host);
  return [{ type: 'HOST_NAME', compare_type: 'REGEX', value: `^${name}(:[0-9]+)?$` }];
}

export function pathRules({ type, value }: Route['path']): readonly L7RuleFields[] {
  if (type === 'Regex') return [{ type: 'PATH', compare_type: 'REGEX', value: `^(${value})$` }];
  if (type === 'Exact') return [{ type: 'PATH', compare_type: 'EQUAL_TO', value }];
  if (value === '/') return [];
  if (type === 'Start') return [{ type: 'PATH', compare_type: 'STARTS_WITH', value }];
  return [{ type: 'PATH', compare_type: 'REGEX', value: `^${literal(value)}(/|$)` }];
}

/** Uses character classes instead of backslashes, which have a special meaning in HAProxy's configuration. */
function literal(text: string): string {
  return text.replaceAll(/[.$()*+]/g, '[$&]');
}
