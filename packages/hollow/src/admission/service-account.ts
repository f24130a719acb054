import { isMirrorPod } from '@fairway/apiserver/auth/pod-references';
import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import { generateName } from '@fairway/apiserver/server/generate-name';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Container, Pod, ServiceAccount, Volume } from '@fairway/kube/kinds/generated/types';
import { Pods, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { forbidden } from '@fairway/kube/object/api-error';
import { created } from './plugin.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
/** 3607 s; this value marks tokens whose lifetime the API server extends (WarnOnlyBoundTokenExpirationPeriod). */
const TOKEN_SECONDS = 3607;
const DEFAULT_MODE = 0o644;

/** Sets the service account of pods and adds its pull secrets and token (plugin/pkg/admission/serviceaccount). */
export function serviceAccountAdmission(reader: () => ObjectReader, random: () => number): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    mutate(request) {
      const pod = created(request, Pods);
      if (pod === undefined || isMirrorPod(pod)) return;
      const { spec } = pod;
      const name = spec.serviceAccountName || 'default';
      spec.serviceAccountName = name;
      spec.serviceAccount = name;
      const account = reader().get(ServiceAccounts, request.namespace, name);
      if (account === undefined) {
        const detail = `error looking up service account ${request.namespace}/${name}: serviceaccount "${name}" not found`;
        throw forbidden({ resource: 'pods', name: pod.metadata.name ?? '' }, detail);
      }
      if (wantsToken(pod, account)) mountToken(pod, random);
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
        spec.imagePullSecrets = account.imagePullSecrets.map((reference) => ({ ...reference }));
      }
    },
  };
}

function wantsToken({ spec }: Pod, account: ServiceAccount): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

function mountToken({ spec }: Pod, random: () => number): void {
  const known = spec.volumes?.find((volume) => volume.name.startsWith(VOLUME_PREFIX));
  const name = known?.name ?? generateName(VOLUME_PREFIX, random);
  const containers = [...(spec.initContainers ?? []), ...spec.containers].filter((container) => !hasToken(container));
  if (containers.length === 0) return;
  for (const container of containers) {
    (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: MOUNT_PATH });
  }
  if (known === undefined) (spec.volumes ??= []).push(tokenVolume(name));
}

/** A container that already mounts a volume there keeps that volume. */
function hasToken({ volumeMounts }: Container): boolean {
  return volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH) ?? false;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: DEFAULT_MODE,
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}
