import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { Route } from './route.ts';

/** Octavia's limit of a rule's value. */
const MAX_VALUE = 255;

/** What all have to hold for a route. Pure. https://docs.openstack.org/api-ref/load-balancer/v2/#create-an-l7-rule */
export function rulesOf({ host, path }: Pick<Route, 'host' | 'path'>): readonly L7RuleFields[] {
  const rules = [...hostRules(host), ...pathRules(path)];
  // A policy without any rule matches nothing.
  return rules.length > 0 ? rules : [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/' }];
}

export function fitsRules(route: Pick<Route, 'host' | 'path'>): boolean {
  return rulesOf(route).every(({ value }) => value.length <= MAX_VALUE);
}

/** Clients may add the port. Case does not count in host names: Octavia ignores it there. */
function hostRules(host: string): readonly L7RuleFields[] {
  if (host === '') return [];
  const name = host.startsWith('*.') ? `[^.:]+${literal(host.slice(1))}` : literal(host);
  return [{ type: 'HOST_NAME', compare_type: 'REGEX', value: `^${name}(:[0-9]+)?$` }];
}

function pathRules({ type, value }: Route['path']): readonly L7RuleFields[] {
  if (type === 'Exact') return [{ type: 'PATH', compare_type: 'EQUAL_TO', value }];
  if (value === '/') return [];
  if (type === 'Start') return [{ type: 'PATH', compare_type: 'STARTS_WITH', value }];
  return [{ type: 'PATH', compare_type: 'REGEX', value: `^${literal(value)}(/|$)` }];
}

/** Classes in place of backslashes, which a load balancer's configuration has a meaning for. */
function literal(text: string): string {
  return text.replaceAll(/[.$()*+]/g, '[$&]');
}
