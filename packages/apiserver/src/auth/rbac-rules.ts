import { trimmedEnd } from '@fairway/base/trim';
import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { isResourceRequest } from './request-attributes.ts';
import type { RequestAttributes } from './user.ts';

/** Whether one rule allows the request (pkg/apis/rbac/v1/evaluation_helpers.go). */
export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false;
  if (!isResourceRequest(attributes))
    return rule.nonResourceURLs?.some((url) => urlCovers(url, attributes.path)) ?? false;
  const { group, resource, subresource, name } = attributes;
  return (
    includesOrAll(rule.apiGroups, group) &&
    resourceMatches(rule.resources ?? [], resource, subresource) &&
    allowsName(rule, name)
  );
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.includes('*')) return true;
  if (subresource === '') return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** The parts of `wanted`, each with one verb, group, resource and name, that no rule in `owned` covers. */
export function uncoveredRules(owned: readonly PolicyRule[], requested: readonly PolicyRule[]): PolicyRule[] {
  return requested.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const verb of rule.verbs) {
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) parts.push(part);
        else parts.push(...names.map((name) => ({ ...part, resourceNames: [name] })));
      }
    }
    for (const url of rule.nonResourceURLs ?? []) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

function covers(owner: PolicyRule, part: PolicyRule): boolean {
  return (
    part.verbs.every((verb) => includesOrAll(owner.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => includesOrAll(owner.apiGroups, group)) &&
    (part.resources ?? []).every((resource) => resourceCovers(owner.resources ?? [], resource)) &&
    (part.nonResourceURLs ?? []).every((url) => owner.nonResourceURLs?.some((own) => urlCovers(own, url))) &&
    namesCover(owner.resourceNames ?? [], part.resourceNames ?? [])
  );
}

/** `pods/*` in a wanted rule is not a wildcard: only `*` and `*\/sub` are. */
function resourceCovers(owned: readonly string[], requested: string): boolean {
  const slash = requested.indexOf('/');
  return (
    owned.includes('*') || owned.includes(requested) || (slash >= 0 && owned.includes(`*${requested.slice(slash)}`))
  );
}

function urlCovers(owned: string, requested: string): boolean {
  return owned === requested || (owned.endsWith('*') && requested.startsWith(trimmedEnd(owned, '*')));
}

function includesOrAll(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

/** A rule without resource names applies to all objects. */
function allowsName({ resourceNames = [] }: PolicyRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function namesCover(owned: readonly string[], requested: readonly string[]): boolean {
  return owned.length === 0 || (requested.length > 0 && requested.every((name) => owned.includes(name)));
}

/** Rules in upstream's short form, `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`, merging those that differ only in verbs. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule>();
  for (const { verbs, ...rest } of rules) {
    const key = JSON.stringify(rest);
    merged.set(key, { ...rest, verbs: [...(merged.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...merged.values()].map(describeRule).sort();
}

function describeRule(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  return `{${parts.flatMap(([title, list = []]) => (list.length === 0 ? [] : [`${title}:${quoteList(list)}`])).join(', ')}}`;
}

/** A list in the format of Go's `%q`. */
export function quoteList(list: readonly string[]): string {
  return `[${list.map((value) => JSON.stringify(value)).join(' ')}]`;
}
