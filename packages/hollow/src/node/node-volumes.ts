import { podReferences } from '@fairway/apiserver/auth/pod-references';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { PersistentVolume, Pod } from '@fairway/kube/kinds/generated/types';
import {
  CSIDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { attachmentName, uniqueVolumeName } from '../volume-names.ts';

export interface NodeVolumesOptions {
  readonly client: KubeClient;
  readonly nodeName: string;
  /** Called when `inUse` has changed. */
  readonly onChange: () => void;
}

/** The volumes of a node's pods, as kubelet waits for them, uses them and lets them go. */
export class NodeVolumes {
  readonly #options: NodeVolumesOptions;
  /** Names of volumes by the UID of the pod that uses them. */
  readonly #used = new Map<string, readonly string[]>();
  #known = '[]';

  constructor(options: NodeVolumesOptions) {
    this.#options = options;
  }

  /** For `volumesInUse` of the Node's status, sorted. */
  get inUse(): readonly string[] {
    return [...new Set([...this.#used.values()].flat())].sort();
  }

  /** Why a pod can't start yet; undefined if all its volumes are there. Those of CSI drivers are in use from now on. */
  async missing(pod: Pod, signal: AbortSignal | undefined): Promise<string | undefined> {
    const names: string[] = [];
    let reason: string | undefined;
    if (pod.spec.volumes === undefined) return undefined;
    for (const claim of podReferences(pod).claims) {
      const volume = await this.#volumeOf(pod.metadata.namespace ?? '', claim, signal);
      const name = volume && uniqueVolumeName(volume);
      if (name !== undefined) names.push(name);
      if (volume === undefined) reason ??= `claim ${claim} is not bound`;
      else if (!(await this.#isThere(volume, signal))) reason ??= `volume ${volume.metadata.name} is not attached`;
    }
    this.#used.set(pod.metadata.uid ?? '', names);
    this.#tell();
    return reason;
  }

  /** Whether what the pod uses is in `inUse` already. */
  knows({ metadata, spec }: Pod): boolean {
    return spec.volumes === undefined || this.#used.has(metadata.uid ?? '');
  }

  /** The pod has ended. */
  release(podUid: string): void {
    if (this.#used.delete(podUid)) this.#tell();
  }

  async #volumeOf(
    namespace: string,
    claim: string,
    signal: AbortSignal | undefined,
  ): Promise<PersistentVolume | undefined> {
    const { client } = this.#options;
    const options = signal === undefined ? {} : { signal };
    const found = await undefinedIfNotFound(
      client.resource(PersistentVolumeClaims).get(claim, { namespace, ...options }),
    );
    const name = found?.status?.phase === 'Bound' ? found.spec.volumeName : undefined;
    return name ? undefinedIfNotFound(client.resource(PersistentVolumes).get(name, options)) : undefined;
  }

  async #isThere({ spec }: PersistentVolume, signal: AbortSignal | undefined): Promise<boolean> {
    if (spec.csi === undefined) return true;
    const { client, nodeName } = this.#options;
    const { driver, volumeHandle } = spec.csi;
    const options = signal === undefined ? {} : { signal };
    const known = await undefinedIfNotFound(client.resource(CSIDrivers).get(driver, options));
    if (known?.spec.attachRequired === false) return true;
    const name = attachmentName(volumeHandle, driver, nodeName);
    const attachment = await undefinedIfNotFound(client.resource(VolumeAttachments).get(name, options));
    return attachment?.status?.attached ?? false;
  }

  #tell(): void {
    const now = JSON.stringify(this.inUse);
    if (now === this.#known) return;
    this.#known = now;
    this.#options.onChange();
  }
}
