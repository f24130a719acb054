import { systemClock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { RULES_SINCE_MINOR } from '@fairway/service/install/definitions';
import { install } from '@fairway/service/install/installer';
import { manifests } from '@fairway/service/install/manifests';

/**
 * Does as `fairway install` on an API server of this minor version. One before 1.31, which that refuses, gets no CEL rules, so that all else is tested on it too;
 * what rests on the rules is skipped there by name.
 */
export async function installKnown(client: KubeClient, minor: number): Promise<void> {
  const options = { dryRun: false, forceConflicts: false, clock: systemClock, signal: new AbortController().signal };
  const all = manifests();
  const known =
    minor >= RULES_SINCE_MINOR ? all : all.map((manifest) => ({ ...manifest, object: withoutRules(manifest.object) }));
  await install(client, known, options, () => {});
}

function withoutRules<T>(object: T): T {
  const text = JSON.stringify(object, (key, value: unknown) =>
    key === 'x-kubernetes-validations' ? undefined : value,
  );
  return JSON.parse(text) as T;
}
