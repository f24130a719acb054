import type { Registry } from './registry.ts';
import type { ResourceDefinition } from './resource.ts';

/** The currently served kinds, including those of CustomResourceDefinitions. */
export interface ServedKinds {
  forResource(group: string, version: string, plural: string): ResourceDefinition | undefined;
  ofKind(apiVersion: string, kind: string): ResourceDefinition | undefined;
  /** Calls back when kinds are added, removed or changed, for the lifetime of the server. */
  onChange(listener: () => void): void;
}

export function servedKinds(registry: Registry): ServedKinds {
  return {
    forResource: (group, version, plural) => registry.find(group, version, plural)?.definition,
    ofKind: (apiVersion, kind) => registry.ofKind(apiVersion, kind)?.definition,
    onChange: (listener) => registry.onChange(listener),
  };
}
