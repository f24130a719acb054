import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { Route } from './route.ts';

/** Octavia's limit of a rule's value. */
const MAX_VALUE = 255;

/** What all have to hold for a route. Pure. https://docs.openstack.org/api-ref/load-balancer/v2/#create-an-l7-rule */
export function rulesOf({ host, path }: Pick<Route, 'host' | 'path'>): readonly L7RuleFields[] {
  return orEvery([...hostRules(host), ...pathRules(path)]);
}

/** A policy without any rule matches nothing. */
export function orEvery(rules: readonly L7RuleFields[]): readonly L7RuleFields[] {
  return rules.length > 0 ? rules : [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/' }];
}

export function fitsRules(route: Pick<Route, 'host' | 'path'>): boolean {
  return areShort(rulesOf(route));
}

export function areShort(rules: readonly L7RuleFields[]): boolean {
  return rules.every(({ value }) => value.length <= MAX_VALUE);
}

/** `wildcard`: what its star stands for. Clients may add the port. Case does not count in host names: Octavia ignores it there. */
export function hostRules(host: string, wildcard: 'one label' | 'labels' = 'one label'): readonly L7RuleFields[] {
  if (host === '') return [];
  const star = wildcard === 'one label' ? '[^.:]+' : '[^:]+';
  const name = host.startsWith('*.') ? `${star}${literal(host.slice(1))}` : literal(host);
  return [{ type: 'HOST_NAME', compare_type: 'REGEX', value: `^${name}(:[0-9]+)?$` }];
}

export function pathRules({ type, value }: Route['path']): readonly L7RuleFields[] {
  if (type === 'Regex') return [{ type: 'PATH', compare_type: 'REGEX', value: `^(${value})$` }];
  if (type === 'Exact') return [{ type: 'PATH', compare_type: 'EQUAL_TO', value }];
  if (value === '/') return [];
  if (type === 'Start') return [{ type: 'PATH', compare_type: 'STARTS_WITH', value }];
  return [{ type: 'PATH', compare_type: 'REGEX', value: `^${literal(value)}(/|$)` }];
}

/** Classes in place of backslashes, which a load balancer's configuration has a meaning for. */
function literal(text: string): string {
  return text.replaceAll(/[.$()*+]/g, '[$&]');
}
