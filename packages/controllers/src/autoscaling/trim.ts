import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type {
  Container,
  CSINode,
  DaemonSet,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from '@fairway/kube/kinds/generated/types';
import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Annotations that decisions read. */
const ANNOTATIONS = new Set([
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'kubernetes.io/config.mirror',
  'volume.beta.kubernetes.io/storage-class',
  'volume.kubernetes.io/selected-node',
]);

/** The part of a Pod that decisions read: a tenth of its size, which matters with thousands of pods. */
export function trimPod({ metadata, spec, status }: Pod): Pod {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const nominated = status?.nominatedNodeName;
  return {
    metadata: trimMeta(metadata),
    spec: trimPodSpec(spec),
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      ...(nominated && { nominatedNodeName: nominated }),
      ...(scheduled?.status === 'False' && {
        conditions: [{ type: 'PodScheduled', status: 'False', ...(scheduled.reason && { reason: scheduled.reason }) }],
      }),
    },
  };
}

function trimPodSpec(spec: Pod['spec']): Pod['spec'] {
  const volumes = spec.volumes?.filter((volume) => volume.persistentVolumeClaim ?? volume.ephemeral);
  const tolerations = spec.tolerations;
  return {
    containers: spec.containers.map(trimContainer),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(trimContainer) }),
    ...(spec.nodeName && { nodeName: spec.nodeName }),
    ...(spec.priority !== undefined && { priority: spec.priority }),
    ...(spec.nodeSelector && { nodeSelector: spec.nodeSelector }),
    ...(spec.affinity && { affinity: spec.affinity }),
    ...(tolerations && { tolerations }),
    ...(spec.topologySpreadConstraints && { topologySpreadConstraints: spec.topologySpreadConstraints }),
    ...(spec.overhead && { overhead: spec.overhead }),
    ...(volumes && volumes.length > 0 && { volumes: volumes.map(trimVolume) }),
  };
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

function trimVolume({ name, persistentVolumeClaim, ephemeral }: Volume): Volume {
  return { name, ...(persistentVolumeClaim && { persistentVolumeClaim }), ...(ephemeral && { ephemeral: {} }) };
}

function trimContainer({ name, resources, ports, restartPolicy }: Container): Container {
  const hostPorts = ports?.filter(({ hostPort }) => hostPort);
  return {
    name,
    ...(resources?.requests && { resources: { requests: resources.requests } }),
    ...(hostPorts && hostPorts.length > 0 && { ports: hostPorts }),
    ...(restartPolicy && { restartPolicy }),
  };
}

export function trimDaemonSet({ metadata, spec }: DaemonSet): DaemonSet {
  const { template } = spec;
  const labels = template.metadata?.labels;
  return {
    metadata: trimMeta(metadata),
    spec: {
      selector: spec.selector,
      template: { ...(labels && { metadata: { labels } }), ...(template.spec && { spec: trimPodSpec(template.spec) }) },
    },
  };
}

export function trimBudget({ metadata, spec, status }: PodDisruptionBudget): PodDisruptionBudget {
  const { selector } = spec ?? {};
  return {
    metadata: trimMeta(metadata),
    spec: selector ? { selector } : {},
    ...(status?.disruptionsAllowed !== undefined && { status: { disruptionsAllowed: status.disruptionsAllowed } }),
  };
}

export function trimNamespace({ metadata }: Namespace): Namespace {
  return { metadata: trimMeta(metadata), spec: {} };
}

export function trimClaim({ metadata, spec, status }: PersistentVolumeClaim): PersistentVolumeClaim {
  return { metadata: trimMeta(metadata), spec, ...(status?.phase && { status: { phase: status.phase } }) };
}

export function trimVolumeObject({ metadata, spec, status }: PersistentVolume): PersistentVolume {
  const csi = csiSourceOf({ spec });
  const { capacity, accessModes, claimRef, nodeAffinity, storageClassName, volumeMode } = spec;
  return {
    metadata: trimMeta(metadata),
    spec: {
      ...(capacity && { capacity }),
      ...(accessModes && { accessModes }),
      ...(claimRef && { claimRef }),
      ...(csi && { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }),
      ...(nodeAffinity && { nodeAffinity }),
      ...(storageClassName !== undefined && { storageClassName }),
      ...(volumeMode !== undefined && { volumeMode }),
    },
    ...(status?.phase && { status: { phase: status.phase } }),
  };
}

export function trimStorageClass(storageClass: StorageClass): StorageClass {
  const { metadata, provisioner, volumeBindingMode, allowedTopologies } = storageClass;
  return {
    metadata: trimMeta(metadata),
    provisioner,
    ...(volumeBindingMode && { volumeBindingMode }),
    ...(allowedTopologies && { allowedTopologies }),
  };
}

export function trimCsiNode({ metadata, spec }: CSINode): CSINode {
  const drivers = spec.drivers?.map(({ name, nodeID, allocatable }) => ({
    name,
    nodeID,
    ...(allocatable && { allocatable }),
  }));
  return { metadata: trimMeta(metadata), spec: { drivers: drivers ?? [] } };
}

function trimMeta(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, labels, annotations, resourceVersion, deletionTimestamp, creationTimestamp } = metadata;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const kept = Object.entries(annotations ?? {}).filter(([key]) => ANNOTATIONS.has(key));
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(labels && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(owner && { ownerReferences: [owner] }),
  };
}
