import { RULES_SINCE_MINOR } from '@fairway/cli/install/definitions';
import { type Manifest, manifests } from '@fairway/cli/install/manifests';

/**
 * What `fairway install` writes, as far as an API server of this minor version knows it: one before 1.31, which it refuses, gets no CEL rules, so that all else is
 * tested on it too. What rests on the rules is skipped there by name.
 */
export function knownManifests(minor: number): Manifest[] {
  const all = manifests();
  return minor >= RULES_SINCE_MINOR
    ? all
    : all.map((manifest) => ({ ...manifest, object: withoutRules(manifest.object) }));
}

function withoutRules<T>(object: T): T {
  const text = JSON.stringify(object, (key, value: unknown) =>
    key === 'x-kubernetes-validations' ? undefined : value,
  );
  return JSON.parse(text) as T;
}
