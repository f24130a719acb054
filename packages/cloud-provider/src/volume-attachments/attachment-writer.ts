import { type Clock, formatTime } from '@fairway/base/clock';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { ensureFinalizer, isBeingDeleted, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { PersistentVolume, VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes, VolumeAttachments } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';

/** Finalizer of external-attacher on VolumeAttachments and PersistentVolumes, derived from the driver's name. */
export const ATTACHER_FINALIZER = 'external-attacher/cinder-csi-openstack-org';
/** Key that cinder-csi-plugin's node plugin reads. */
const DEVICE_PATH = 'DevicePath';

/** Updates the VolumeAttachments of one PersistentVolume as external-attacher does. Writes only changes. */
export class AttachmentWriter {
  readonly #tenant: TenantCluster;
  readonly #volume: PersistentVolume | undefined;
  readonly #clock: Clock;

  constructor(tenant: TenantCluster, volume: PersistentVolume | undefined, clock: Clock) {
    this.#tenant = tenant;
    this.#volume = volume;
    this.#clock = clock;
  }

  /** Adds the finalizers before attaching: neither object may be deleted before the volume is detached. */
  async protect(attachment: VolumeAttachment): Promise<void> {
    const { client } = this.#tenant;
    if (this.#volume) {
      await wrapTenantError(ensureFinalizer(client.resource(PersistentVolumes), this.#volume, ATTACHER_FINALIZER));
    }
    await wrapTenantError(ensureFinalizer(client.resource(VolumeAttachments), attachment, ATTACHER_FINALIZER));
  }

  async release(attachment: VolumeAttachment): Promise<void> {
    const attachments = this.#tenant.client.resource(VolumeAttachments);
    await wrapTenantError(removeFinalizer(attachments, attachment, ATTACHER_FINALIZER));
  }

  /** Lets the PersistentVolume be deleted once no attachment uses it. */
  async releaseVolume(): Promise<void> {
    const volume = this.#volume;
    if (volume === undefined || !isBeingDeleted(volume)) return;
    const volumes = this.#tenant.client.resource(PersistentVolumes);
    await wrapTenantError(removeFinalizer(volumes, volume, ATTACHER_FINALIZER));
  }

  async reportAttached(attachment: VolumeAttachment, device: string | undefined): Promise<void> {
    const { status } = attachment;
    const known = status?.attachmentMetadata?.[DEVICE_PATH];
    if (status?.attached && status.attachError === undefined && known === device) return;
    const attachmentMetadata = device === undefined ? null : { [DEVICE_PATH]: device };
    await this.#patch(attachment, { attached: true, attachError: null, attachmentMetadata });
  }

  /**
   * Reports why the volume cannot be attached, or, if the VolumeAttachment is being deleted, why it cannot be detached.
   */
  async reportError(attachment: VolumeAttachment, message: string): Promise<void> {
    const field = isBeingDeleted(attachment) ? 'detachError' : 'attachError';
    if (attachment.status?.[field]?.message === message) return;
    const attached = attachment.status?.attached ?? false;
    await this.#patch(attachment, { attached, [field]: { message, time: formatTime(this.#clock.now()) } });
  }

  async #patch({ metadata }: VolumeAttachment, status: object): Promise<void> {
    const { name = '', uid } = metadata;
    const attachments = this.#tenant.client.resource(VolumeAttachments);
    const patch = { type: 'merge', value: { metadata: { uid }, status } } as const;
    await wrapTenantError(ignoreDeleted(attachments.patch(name, patch, { subresource: 'status' })));
  }
}
