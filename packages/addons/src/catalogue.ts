import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Addon, type AddonFacts, type AddonObject, type ObjectIdentity, objectKey } from './addon.ts';
import { APPLY_SET_ID, PART_OF_LABEL } from './apply-set.ts';
import { CANAL_WORKLOAD, canal } from './canal/objects.ts';
import { CILIUM_WORKLOAD, cilium } from './cilium/objects.ts';
import { CINDER_CSI_OBJECTS, cinderCsi } from './cinder-csi/objects.ts';
import { CORE_DNS_OBJECTS, coreDns } from './core-dns/objects.ts';
import { KUBE_PROXY_OBJECTS, kubeProxy } from './kube-proxy/objects.ts';
import { METRICS_SERVER_OBJECTS, metricsServer } from './metrics-server/objects.ts';
import { REVISION_ANNOTATION, revisionOf } from './revision.ts';
import { hasAddons } from './versions.ts';
import { volumeSnapshots } from './volume-snapshots/objects.ts';

/** What runs of each pod network: where it is there, the network is. */
export const NETWORK_WORKLOADS: Readonly<Record<InstalledCni, ObjectIdentity>> = {
  canal: CANAL_WORKLOAD,
  cilium: CILIUM_WORKLOAD,
};

/**
 * All objects that add-ons have consisted of in any release, but for those of pod networks. Nothing else is ever deleted, whatever its labels say. A pod
 * network stays: no decision takes it from a cluster that lives, and without it no pod starts. With its definitions would go all policies that the tenant
 * wrote. So it is with those of volume snapshots.
 */
export const REMOVABLE_OBJECTS: readonly ObjectIdentity[] = [
  ...KUBE_PROXY_OBJECTS,
  ...CORE_DNS_OBJECTS,
  ...METRICS_SERVER_OBJECTS,
  ...CINDER_CSI_OBJECTS,
];

/** What has to be known of a cluster that is to have these add-ons: what they consist of, what may be left of others, and pod networks. */
export function objectsOfInterest(wanted: readonly Addon[]): readonly ObjectIdentity[] {
  const all: readonly ObjectIdentity[] = [
    ...REMOVABLE_OBJECTS,
    ...Object.values(NETWORK_WORKLOADS),
    ...wanted.flatMap(({ objects, claims }) => [...objects, ...claims]),
  ];
  return [...new Map(all.map(({ type, name }) => [objectKey({ type, name }), { type, name }])).values()];
}

/** The add-ons that a cluster is to have, in the order in which they are applied; none for a version of Kubernetes that none are known for. */
export function addonsOf(facts: AddonFacts): readonly Addon[] {
  if (!hasAddons(facts.version)) return [];
  const addons = [
    ...podNetwork(facts),
    ...(facts.kubeProxy.mode === 'none' ? [] : [kubeProxy(facts)]),
    coreDns(facts),
    metricsServer(facts),
    cinderCsi(facts),
    volumeSnapshots(),
  ];
  return addons.map((addon) => ({ ...addon, objects: addon.objects.map(asMember) }));
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

function asMember(member: AddonObject): AddonObject {
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
