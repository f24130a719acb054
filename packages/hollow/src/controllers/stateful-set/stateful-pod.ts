import { ownerRef } from '@fairway/kube/controller/owners';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet } from '@fairway/kube/kinds/generated/types';
import { StatefulSets } from '@fairway/kube/kinds/resources';
import { cloneJson } from '@fairway/kube/object/json';
import { podFromTemplate } from '../workloads/pod-from-template.ts';

export const REVISION_LABEL = 'controller-revision-hash';
const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';

export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = '' } = metadata;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

export function revisionOfPod({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

/** The pod for an ordinal, which determines its name, DNS name and claims (stateful_set_utils.go newStatefulSetPod). */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec, revision: string, ordinal: number): Pod {
  const pod = podFromTemplate(template, set, StatefulSets);
  const name = `${set.metadata.name}-${ordinal}`;
  delete pod.metadata.generateName;
  pod.metadata.name = name;
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [POD_NAME_LABEL]: name,
    [POD_INDEX_LABEL]: String(ordinal),
    [REVISION_LABEL]: revision,
  };
  pod.spec.hostname = name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  const claimed = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const names = new Set(claimed.map((volume) => volume.name));
  const volumes = [...claimed, ...(pod.spec.volumes ?? []).filter((volume) => !names.has(volume.name))];
  if (volumes.length > 0) pod.spec.volumes = volumes;
  return pod;
}

export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const isOwned = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
  return (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(set, claim, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...claim.metadata.labels, ...set.spec.selector.matchLabels },
      ...(claim.metadata.annotations && { annotations: { ...claim.metadata.annotations } }),
      ...(isOwned && { ownerReferences: [ownerRef(set, StatefulSets)] }),
    },
    spec: cloneJson(claim.spec),
  }));
}

function claimName(set: StatefulSet, { metadata }: PersistentVolumeClaim, ordinal: number): string {
  return `${metadata.name}-${set.metadata.name}-${ordinal}`;
}
