import type { PolicyRule } from '@fairway/kube/kinds/generated/types';

/** A rule on one line. Items are separated by spaces; the core group is written `core`. */
export function can(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(' '),
    ...(names !== undefined && { resourceNames: names.split(' ') }),
  };
}

/** A rule for non-resource URLs. */
export function urls(verbs: string, paths: string): PolicyRule {
  return { verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') };
}

/** A permission that every controller has: creating Events. */
export const writeEvents = can('create patch update', 'core events.k8s.io', 'events');
