import { compilePattern, PatternError } from '@fairway/apiserver/schema/pattern';
import type { Subnet } from '@fairway/openstack/types/network';
import { displayText } from './display-text.ts';
import type { SubnetChoice } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';

/**
 * The floating IP subnets of an annotation or class; undefined if unspecified. Throws ServiceRefused for an invalid
 * pattern. `location` describes the source of the patterns for messages.
 */
export function subnetChoice(choice: SubnetChoice, location: string): SubnetChoice | undefined {
  if (choice.name === undefined && choice.tags === undefined) return undefined;
  if (choice.name !== undefined) matcherOf(choice.name, location);
  return choice;
}

/**
 * Whether a subnet matches, with the rules of cloud-provider-openstack. Name: a glob (`*`, `?`), or after `~` a regular
 * expression, which must match the whole name. Tags: at least one tag of a list, or after `&` all of them. A leading
 * `!` negates either.
 */
export function isMatchingSubnet(
  { name, tags }: Pick<Subnet, 'name' | 'tags'>,
  choice: SubnetChoice,
  location = 'floating-subnet',
): boolean {
  const matchesName = choice.name === undefined || matcherOf(choice.name, location)(name);
  return matchesName && (choice.tags === undefined || hasTags(tags, choice.tags));
}

function matcherOf(text: string, location: string): (name: string) => boolean {
  const isNegated = text.startsWith('!');
  const pattern = isNegated ? text.slice(1) : text;
  const expression = pattern.startsWith('~') ? pattern.slice(1) : globExpression(pattern);
  try {
    const matcher = compilePattern(`^(?:${expression})$`);
    return (name) => matcher.test(name) !== isNegated;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ServiceRefused(
      `${location}: "${displayText(text)}" is not a valid pattern: ${displayText(error.message)}`,
    );
  }
}

function globExpression(glob: string): string {
  return glob.replaceAll(/[\\^$.|+()[\]{}*?]/g, (char) => (char === '*' ? '.*' : char === '?' ? '.' : `\\${char}`));
}

function hasTags(present: readonly string[], text: string): boolean {
  const isNegated = text.startsWith('!');
  const list = isNegated ? text.slice(1) : text;
  const isAll = list.startsWith('&');
  const desired = (isAll ? list.slice(1) : list)
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const has = (tag: string) => present.includes(tag);
  return (isAll ? desired.every(has) : desired.some(has)) !== isNegated;
}
