import type { ApiRequest } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import type { Attachment, Snapshot, Volume } from './records.ts';

/** A time in Cinder's format: with microseconds, without a time zone. */
export function volumeTime(epochMs: number | null): string | null {
  return epochMs === null ? null : `${new Date(epochMs).toISOString().slice(0, -1)}000`;
}

/** Base URL of objects, including the project if the request includes it. */
export function volumesUrl({ serviceUrl, path, access }: ApiRequest): string {
  return path.includes(`/v3/${access.projectId}`) ? `${serviceUrl}/v3/${access.projectId}` : `${serviceUrl}/v3`;
}

export function volumeSummary(request: ApiRequest, { id, name }: Volume): object {
  const url = volumesUrl(request);
  return {
    id,
    name,
    links: [
      { rel: 'self', href: `${url}/volumes/${id}` },
      { rel: 'bookmark', href: `${url.replace('/v3', '')}/volumes/${id}` },
    ],
  };
}

/** The detailed view of a volume for the microversion and the caller's role. */
export function volumeDetail(world: World, request: ApiRequest, volume: Volume): Record<string, unknown> {
  const { microversion, access } = request;
  const hasAdminView = isAdmin(access);
  const type = world.tables.volumeTypes.get(volume.typeId);
  const image = world.config.images.find(({ id }) => id === volume.imageId);
  return {
    ...volumeSummary(request, volume),
    status: volume.status,
    size: volume.sizeGiB,
    availability_zone: volume.zone,
    created_at: volumeTime(volume.createdMs),
    updated_at: volumeTime(volume.updatedMs),
    description: volume.description,
    volume_type: type?.name ?? null,
    snapshot_id: volume.snapshotId,
    source_volid: volume.sourceVolumeId,
    metadata: volume.metadata,
    user_id: volume.userId,
    bootable: String(volume.isBootable),
    encrypted: volume.encryptionKeyId !== null,
    replication_status: null,
    consistencygroup_id: null,
    multiattach: volume.isMultiattach,
    attachments: world.indexes.attachmentsByVolume
      .of(volume.id)
      .filter(({ status }) => status === 'attached')
      .map((attachment) => attachmentOfVolume(attachment, hasAdminView)),
    ...(image === undefined || volume.status === 'creating'
      ? {}
      : {
          volume_image_metadata: {
            ...image.properties,
            image_id: image.id,
            image_name: image.name,
            container_format: 'bare',
            disk_format: 'qcow2',
            min_disk: String(image.minDiskGiB),
            min_ram: String(image.minRamMiB),
            size: String(image.sizeBytes),
          },
        }),
    ...(hasAdminView ? { migration_status: null } : {}),
    ...(microversion >= 13 ? { group_id: null } : {}),
    ...(microversion >= 21 && hasAdminView ? { provider_id: null } : {}),
    ...(microversion >= 48 ? { shared_targets: false, service_uuid: null } : {}),
    ...(microversion >= 61 && hasAdminView ? { cluster_name: null } : {}),
    ...(microversion >= 63 ? { volume_type_id: volume.typeId } : {}),
    ...(microversion >= 64 && volume.encryptionKeyId !== null ? { encryption_key_id: volume.encryptionKeyId } : {}),
    ...(microversion >= 65 ? { consumes_quota: true } : {}),
  };
}

/** The response to a read: the detailed view, plus the owner. */
export function volumeResponse(world: World, request: ApiRequest, volume: Volume): Record<string, unknown> {
  return {
    ...volumeDetail(world, request, volume),
    'os-vol-tenant-attr:tenant_id': volume.projectId,
    ...(isAdmin(request.access)
      ? {
          'os-vol-host-attr:host': `${volume.zone}@simulator#pool`,
          'os-vol-mig-status-attr:migstat': null,
          'os-vol-mig-status-attr:name_id': null,
        }
      : {}),
  };
}

function attachmentOfVolume(attachment: Attachment, hasAdminView: boolean): object {
  return {
    id: attachment.volumeId,
    attachment_id: attachment.id,
    volume_id: attachment.volumeId,
    server_id: attachment.instanceId,
    host_name: hasAdminView ? attachment.host : null,
    device: attachment.device,
    attached_at: volumeTime(attachment.attachedMs),
  };
}

export function snapshotSummary(snapshot: Snapshot): Record<string, unknown> {
  return {
    id: snapshot.id,
    created_at: volumeTime(snapshot.createdMs),
    updated_at: volumeTime(snapshot.updatedMs),
    name: snapshot.name,
    description: snapshot.description,
    volume_id: snapshot.volumeId,
    status: snapshot.status,
    size: snapshot.sizeGiB,
    metadata: snapshot.metadata,
  };
}

/** The response to a read: the detailed view, plus owner and progress. */
export function snapshotResponse(request: ApiRequest, snapshot: Snapshot): Record<string, unknown> {
  return {
    ...snapshotDetail(request, snapshot),
    'os-extended-snapshot-attributes:progress': snapshot.status === 'creating' ? '0%' : '100%',
    'os-extended-snapshot-attributes:project_id': snapshot.projectId,
  };
}

export function snapshotDetail({ microversion }: ApiRequest, snapshot: Snapshot): Record<string, unknown> {
  return {
    ...snapshotSummary(snapshot),
    ...(microversion >= 14 ? { group_snapshot_id: null } : {}),
    ...(microversion >= 41 ? { user_id: snapshot.userId } : {}),
    ...(microversion >= 65 ? { consumes_quota: true } : {}),
  };
}
