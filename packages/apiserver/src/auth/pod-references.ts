import type { Container, EphemeralContainer, Pod, Volume } from '@fairway/kube/kinds/generated/types';

/** Names of the objects that a pod references in its namespace, and that its node may therefore read. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly serviceAccount: string | undefined;
}

const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Mirror pods are written by the node itself: if they were included, a node could grant itself access to any Secret.
 */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata.annotations?.[MIRROR] !== undefined;
}

/** Like pkg/api/v1/pod.VisitPodSecretNames and its siblings. */
export function podReferences({ metadata, spec }: Pod): PodReferences {
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  const claims = new Set<string>();
  for (const { name } of spec.imagePullSecrets ?? []) add(secrets, name);
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) addEnvironment(container, secrets, configMaps);
  for (const volume of spec.volumes ?? []) {
    addSecrets(volume, secrets);
    add(configMaps, volume.configMap?.name);
    for (const source of volume.projected?.sources ?? []) {
      add(secrets, source.secret?.name);
      add(configMaps, source.configMap?.name);
    }
    add(claims, volume.persistentVolumeClaim?.claimName);
    if (volume.ephemeral !== undefined) add(claims, `${metadata.name}-${volume.name}`);
  }
  return { secrets, configMaps, claims, serviceAccount: spec.serviceAccountName || undefined };
}

function addEnvironment(
  { env = [], envFrom = [] }: Container | EphemeralContainer,
  secrets: Set<string>,
  configMaps: Set<string>,
): void {
  for (const { valueFrom } of env) {
    add(secrets, valueFrom?.secretKeyRef?.name);
    add(configMaps, valueFrom?.configMapKeyRef?.name);
  }
  for (const { secretRef, configMapRef } of envFrom) {
    add(secrets, secretRef?.name);
    add(configMaps, configMapRef?.name);
  }
}

function addSecrets(volume: Volume, secrets: Set<string>): void {
  add(secrets, volume.secret?.secretName);
  add(secrets, volume.azureFile?.secretName);
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = volume;
  for (const source of [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos]) {
    add(secrets, source?.secretRef?.name);
  }
  add(secrets, volume.csi?.nodePublishSecretRef?.name);
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && name !== '') names.add(name);
}
