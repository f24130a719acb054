import { podReferences } from '@fairway/apiserver/auth/pod-references';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@fairway/kube/kinds/generated/types';
import {
  CSIDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { compareQuantities, tryParseQuantity, ZERO } from '@fairway/kube/object/quantity';
import { attachmentName, uniqueVolumeName } from '../volume-names.ts';

interface ClaimKey {
  readonly namespace: string;
  readonly name: string;
}

export interface NodeVolumesOptions {
  readonly client: KubeClient;
  readonly nodeName: string;
  /** Called when `inUse` has changed. */
  readonly onChange: () => void;
}

/** The volumes of a node's pods: waits for them, uses them and releases them like kubelet. */
export class NodeVolumes {
  readonly #options: NodeVolumesOptions;
  /** Names of volumes by the UID of the pod that uses them. */
  readonly #used = new Map<string, readonly string[]>();
  /** The claims of the same pods. */
  readonly #claims = new Map<string, readonly ClaimKey[]>();
  #known = '[]';

  constructor(options: NodeVolumesOptions) {
    this.#options = options;
  }

  /** For `volumesInUse` in the Node's status, sorted. */
  get inUse(): readonly string[] {
    return [...new Set([...this.#used.values()].flat())].sort();
  }

  /** Why a pod can't start yet; undefined if all its volumes are available. CSI volumes then count as in use. */
  async missing(pod: Pod, signal: AbortSignal | undefined): Promise<string | undefined> {
    const names: string[] = [];
    const claims: ClaimKey[] = [];
    let reason: string | undefined;
    if (pod.spec.volumes === undefined) return undefined;
    for (const claim of podReferences(pod).claims) {
      const key = { namespace: pod.metadata.namespace ?? '', name: claim };
      const { volume } = await this.#read(key, signal);
      const name = volume && uniqueVolumeName(volume);
      if (name !== undefined) names.push(name);
      if (volume !== undefined) claims.push(key);
      if (volume === undefined) reason ??= `claim ${claim} is not bound`;
      else if (!(await this.#exists(volume, signal))) reason ??= `volume ${volume.metadata.name} is not attached`;
    }
    this.#used.set(pod.metadata.uid ?? '', names);
    this.#claims.set(pod.metadata.uid ?? '', claims);
    this.#notify();
    return reason;
  }

  /** Grows file systems in use to the size of their volumes, as kubelet does periodically. */
  async grow(signal: AbortSignal): Promise<void> {
    const claims = new Map([...this.#claims.values()].flat().map((key) => [`${key.namespace}/${key.name}`, key]));
    for (const key of claims.values()) {
      const { claim, volume } = await this.#read(key, signal);
      const status = claim && volume && grownStatus(claim, volume);
      if (status === undefined) continue;
      const { namespace, name } = key;
      const value = { metadata: { uid: claim?.metadata.uid }, status };
      const options = { namespace, signal, subresource: 'status' };
      await ignoreDeleted(
        this.#options.client.resource(PersistentVolumeClaims).patch(name, { type: 'merge', value }, options),
      );
    }
  }

  /** Whether the pod's volumes are already in `inUse`. */
  hasVolumesOf({ metadata, spec }: Pod): boolean {
    return spec.volumes === undefined || this.#used.has(metadata.uid ?? '');
  }

  /** Releases the volumes of a pod that has ended. */
  release(podUid: string): void {
    this.#claims.delete(podUid);
    if (this.#used.delete(podUid)) this.#notify();
  }

  /** A claim, and its volume if it is bound. */
  async #read(
    { namespace, name }: ClaimKey,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly claim: PersistentVolumeClaim | undefined; readonly volume: PersistentVolume | undefined }> {
    const { client } = this.#options;
    const options = signal === undefined ? {} : { signal };
    const claim = await undefinedIfNotFound(
      client.resource(PersistentVolumeClaims).get(name, { namespace, ...options }),
    );
    const volumeName = claim?.status?.phase === 'Bound' ? claim.spec.volumeName : undefined;
    const volume = volumeName
      ? await undefinedIfNotFound(client.resource(PersistentVolumes).get(volumeName, options))
      : undefined;
    return { claim, volume };
  }

  async #exists(volume: PersistentVolume, signal: AbortSignal | undefined): Promise<boolean> {
    const source = csiSourceOf(volume);
    if (source === undefined) return true;
    const { client, nodeName } = this.#options;
    const { driver, volumeHandle } = source;
    const options = signal === undefined ? {} : { signal };
    const known = await undefinedIfNotFound(client.resource(CSIDrivers).get(driver, options));
    if (known?.spec.attachRequired === false) return true;
    const name = attachmentName(volumeHandle, driver, nodeName);
    const attachment = await undefinedIfNotFound(client.resource(VolumeAttachments).get(name, options));
    return attachment?.status?.attached ?? false;
  }

  #notify(): void {
    const now = JSON.stringify(this.inUse);
    if (now === this.#known) return;
    this.#known = now;
    this.#options.onChange();
  }
}

/** The claim's status after its file system has grown to the size of its volume; undefined if no growth is pending. Pure. */
export function grownStatus(
  { status }: PersistentVolumeClaim,
  { spec }: PersistentVolume,
): Pick<NonNullable<PersistentVolumeClaim['status']>, 'capacity' | 'conditions'> | undefined {
  const { conditions = [], capacity } = status ?? {};
  const size = spec.capacity?.['storage'];
  const isPending = conditions.some(({ type, status: is }) => type === PENDING && is === 'True');
  const has = tryParseQuantity(capacity?.['storage'] ?? '0') ?? ZERO;
  if (!isPending || size === undefined || compareQuantities(tryParseQuantity(size) ?? ZERO, has) <= 0) return undefined;
  return { capacity: { storage: size }, conditions: conditions.filter(({ type }) => type !== PENDING) };
}

const PENDING = 'FileSystemResizePending';
