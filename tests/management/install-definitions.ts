import { API_VERSION } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { systemClock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { install } from '@fairway/service/install/installer';
import { type Manifest, manifests } from '@fairway/service/install/manifests';

/**
 * Like `fairway install` on an API server of this minor version. `fairway install` refuses versions before 1.31; here
 * they get no CEL rules, so that everything else can be tested on them too. Tests of the rules are skipped there by
 * name.
 */
export async function installCurrent(client: KubeClient, minor: number): Promise<void> {
  const options = { dryRun: false, forceConflicts: false, clock: systemClock, signal: new AbortController().signal };
  const all = manifests();
  const known =
    minor >= MIN_CEL_MINOR ? all : all.map((manifest) => ({ ...manifest, object: withoutRules(manifest.object) }));
  await install(client, known, options, () => {});
}

/** Like `fairway install` of an earlier release, with the objects of that release. */
export async function installPrevious(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const types = new Map<string, ResourceType>(
    [...manifests().map(({ type }) => type), ...KINDS].map((type) => [type.kind, type]),
  );
  const previousDefinitions = objects.map((object): Manifest => {
    const type = types.get(object.kind ?? '');
    if (type === undefined) throw new Error(`unknown kind ${object.kind}`);
    return { type, object, isOperatorOwned: object.apiVersion === API_VERSION };
  });
  const options = { dryRun: false, forceConflicts: false, clock: systemClock, signal: new AbortController().signal };
  await install(client, previousDefinitions, options, () => {});
}

function withoutRules<T>(object: T): T {
  const text = JSON.stringify(object, (key, value: unknown) =>
    key === 'x-kubernetes-validations' ? undefined : value,
  );
  return JSON.parse(text) as T;
}
