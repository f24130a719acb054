import type { KubeObject, ResourceType } from '../object/meta.ts';

// The parts of stored objects that authentication and authorisation read. They were validated when they were written.

export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

interface LocalReference {
  readonly name?: string;
}

/** A volume; secrets and claims hide in many of its kinds, so `pod-references.ts` walks the rest by name. */
export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: LocalReference;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: { readonly volumeClaimTemplate?: object };
  readonly projected?: {
    readonly sources?: readonly {
      readonly secret?: LocalReference;
      readonly configMap?: LocalReference;
      readonly serviceAccountToken?: { readonly audience?: string };
    }[];
  };
  readonly csi?: { readonly driver?: string; readonly nodePublishSecretRef?: LocalReference };
  readonly azureFile?: { readonly secretName?: string };
  readonly cephfs?: { readonly secretRef?: LocalReference };
  readonly cinder?: { readonly secretRef?: LocalReference };
  readonly flexVolume?: { readonly secretRef?: LocalReference };
  readonly iscsi?: { readonly secretRef?: LocalReference };
  readonly rbd?: { readonly secretRef?: LocalReference };
  readonly scaleIO?: { readonly secretRef?: LocalReference };
  readonly storageos?: { readonly secretRef?: LocalReference };
}

export interface Container {
  readonly env?: readonly {
    readonly valueFrom?: { readonly secretKeyRef?: LocalReference; readonly configMapKeyRef?: LocalReference };
  }[];
  readonly envFrom?: readonly { readonly secretRef?: LocalReference; readonly configMapRef?: LocalReference }[];
}

export interface Pod extends KubeObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly imagePullSecrets?: readonly LocalReference[];
    readonly volumes?: readonly Volume[];
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly ephemeralContainers?: readonly Container[];
    readonly resourceClaims?: readonly object[];
  };
  readonly status?: { readonly resourceClaimStatuses?: unknown; readonly extendedResourceClaimStatus?: unknown };
}

export interface Node extends KubeObject {
  readonly spec?: { readonly taints?: unknown; readonly configSource?: unknown };
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly csi?: Readonly<Record<string, unknown>>;
  };
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: { readonly nodeName?: string };
}

export const SERVICE_ACCOUNTS: ResourceType<ServiceAccount> = core('serviceaccounts', 'ServiceAccount', true);
export const SECRETS: ResourceType<Secret> = core('secrets', 'Secret', true);
export const PODS: ResourceType<Pod> = core('pods', 'Pod', true);
export const NODES: ResourceType<Node> = core('nodes', 'Node', false);
export const PERSISTENT_VOLUMES: ResourceType<PersistentVolume> = core('persistentvolumes', 'PersistentVolume', false);
export const VOLUME_ATTACHMENTS: ResourceType<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
};

function core(plural: string, kind: string, namespaced: boolean) {
  return { group: '', version: 'v1', plural, kind, namespaced };
}
