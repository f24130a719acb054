import { definitionName } from '../schema/resolve.ts';
import type { ResourceDefinition } from '../server/resource.ts';

/**
 * The name of a kind's definition: the name in its own `$ref`, otherwise the reversed group and the kind as in
 * Kubernetes (`dev.fairway.v1.Cluster`).
 */
export function definitionNameOf({ schema, group, version, kind }: ResourceDefinition): string {
  if (schema.$ref !== undefined) return definitionName(schema.$ref);
  const parts = group === '' ? ['io', 'k8s', 'api', 'core'] : group.split('.').reverse();
  return [...parts, version, kind].join('.');
}

/** The key of a group version in `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
export function groupVersionPath({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** `Core`, `Apps`, `Networking`, `FairwayDev`: the group within operation ids. */
export function groupTitle(group: string): string {
  if (group === '') return 'Core';
  const words = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function tagOf({ group, version }: { readonly group: string; readonly version: string }): string {
  const title = groupTitle(group);
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}_${version}`;
}
