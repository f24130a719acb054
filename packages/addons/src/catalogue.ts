import type { KubeObject } from '@fairway/kube/object/meta';
import type { Addon, AddonFacts, AddonObject, ObjectIdentity } from './addon.ts';
import { APPLY_SET_ID, PART_OF_LABEL } from './apply-set.ts';
import { CANAL_OBJECTS, canal } from './canal/objects.ts';
import { CORE_DNS_OBJECTS, coreDns } from './core-dns/objects.ts';
import { KUBE_PROXY_OBJECTS, kubeProxy } from './kube-proxy/objects.ts';
import { METRICS_SERVER_OBJECTS, metricsServer } from './metrics-server/objects.ts';
import { REVISION_ANNOTATION, revisionOf } from './revision.ts';
import { hasAddons } from './versions.ts';

/** All objects that add-ons have consisted of in any release. */
export const KNOWN_OBJECTS: readonly ObjectIdentity[] = [
  ...CANAL_OBJECTS,
  ...KUBE_PROXY_OBJECTS,
  ...CORE_DNS_OBJECTS,
  ...METRICS_SERVER_OBJECTS,
];

/**
 * Nothing else is ever deleted, whatever its labels say. A pod network stays: no decision takes it from a cluster that lives, and without it no pod
 * starts. With its definitions would go all policies that the tenant wrote.
 */
export const REMOVABLE_OBJECTS: readonly ObjectIdentity[] = KNOWN_OBJECTS.filter(
  (each) => !CANAL_OBJECTS.includes(each),
);

/** The add-ons that a cluster is to have, in the order in which they are applied; none for a version of Kubernetes that none are known for. */
export function addonsOf(facts: AddonFacts): readonly Addon[] {
  if (!hasAddons(facts.version)) return [];
  const addons = [
    ...(facts.hasCanal ? [canal(facts)] : []),
    ...(facts.kubeProxy.mode === 'none' ? [] : [kubeProxy(facts)]),
    coreDns(facts),
    metricsServer(facts),
  ];
  return addons.map((addon) => ({ ...addon, objects: addon.objects.map(asMember) }));
}

function asMember({ type, name, object }: AddonObject): AddonObject {
  const { metadata } = object;
  const member: KubeObject = {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [PART_OF_LABEL]: APPLY_SET_ID },
      annotations: { ...metadata.annotations, [REVISION_ANNOTATION]: revisionOf(object) },
    },
  };
  return { type, name, object: member };
}
