import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Addon, type AddonFacts, type AddonObject, type ObjectIdentity, objectKey } from './addon.ts';
import { APPLY_SET_ID, PART_OF_LABEL } from './apply-set.ts';
import { CANAL_WORKLOAD, canal } from './canal/objects.ts';
import { CILIUM_WORKLOAD, cilium } from './cilium/objects.ts';
import { CINDER_CSI_OBJECTS, cinderCsi } from './cinder-csi/objects.ts';
import { CORE_DNS_OBJECTS, coreDns } from './core-dns/objects.ts';
import { KUBE_PROXY_OBJECTS, kubeProxy } from './kube-proxy/objects.ts';
import { LIMIT_OBJECTS, planLimits } from './limits/objects.ts';
import { METRICS_SERVER_OBJECTS, metricsServer } from './metrics-server/objects.ts';
import { REVISION_ANNOTATION, revisionOf } from './revision.ts';
import { hasAddons } from './versions.ts';
import { volumeSnapshots } from './volume-snapshots/objects.ts';

/** The workload of each pod network: if it exists, so does the network. */
export const NETWORK_WORKLOADS: Readonly<Record<InstalledCni, ObjectIdentity>> = {
  canal: CANAL_WORKLOAD,
  cilium: CILIUM_WORKLOAD,
};

/**
 * All objects that add-ons have contained in any release, except those of pod networks. Only these are ever deleted,
 * whatever its labels say. Fairway never removes a pod network from a live cluster, since no pod can start without it.
 * Removing its definitions would delete all policies that the tenant wrote. The same applies to the definitions of
 * volume snapshots.
 */
export const REMOVABLE_OBJECTS: readonly ObjectIdentity[] = [
  ...KUBE_PROXY_OBJECTS,
  ...CORE_DNS_OBJECTS,
  ...METRICS_SERVER_OBJECTS,
  ...CINDER_CSI_OBJECTS,
  ...LIMIT_OBJECTS,
];

/**
 * The objects to observe in a cluster with these add-ons: their own objects, possible leftovers of other add-ons, and
 * pod networks.
 */
export function objectsOfInterest(addons: readonly Addon[]): readonly ObjectIdentity[] {
  const all: readonly ObjectIdentity[] = [
    ...REMOVABLE_OBJECTS,
    ...Object.values(NETWORK_WORKLOADS),
    ...addons.flatMap(({ objects, claims }) => [...objects, ...claims]),
  ];
  return [...new Map(all.map(({ type, name }) => [objectKey({ type, name }), { type, name }])).values()];
}

/** The add-ons for a cluster, in the order in which they are applied; empty for an unsupported Kubernetes version. */
export function addonsOf(facts: AddonFacts): readonly Addon[] {
  if (!hasAddons(facts.version)) return [];
  const limits = planLimits(facts);
  const addons = [
    ...(limits ? [limits] : []),
    ...podNetwork(facts),
    ...(facts.kubeProxy.mode === 'none' ? [] : [kubeProxy(facts)]),
    coreDns(facts),
    metricsServer(facts),
    cinderCsi(facts),
    volumeSnapshots(),
  ];
  return addons.map((addon) => ({ ...addon, objects: addon.objects.map(asSetMember) }));
}

function podNetwork(facts: AddonFacts): Addon[] {
  switch (facts.podNetwork) {
    case 'canal':
      return [canal(facts)];
    case 'cilium':
      return [cilium(facts)];
    case undefined:
      return [];
  }
}

function asSetMember(member: AddonObject): AddonObject {
  const { object } = member;
  const { metadata } = object;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [PART_OF_LABEL]: APPLY_SET_ID },
      annotations: { ...metadata.annotations, [REVISION_ANNOTATION]: revisionOf(object) },
    },
  };
  return { ...member, object: marked };
}
