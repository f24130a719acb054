import type { PolicyRule } from '@fairway/kube/kinds/generated/types';

/** A rule in one line. Words are separated by blanks; the group of pods and services, which has no name, is written `core`. */
export function can(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(' '),
    ...(names !== undefined && { resourceNames: names.split(' ') }),
  };
}

/** A rule about paths that are no resources. */
export function urls(verbs: string, paths: string): PolicyRule {
  return { verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') };
}

/** What every controller may do: report. */
export const writeEvents = can('create patch update', 'core events.k8s.io', 'events');
