import type { ApiRequest } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { exportPaths } from './export-locations.ts';
import type { Share } from './records.ts';
import { linksTo, shareTime } from './route.ts';
import { BACKEND } from './share-lifecycle.ts';
import { isSet } from './share-types.ts';

export function shareSummary(request: ApiRequest, { id, name }: Share): object {
  return { id, name, links: linksTo(request, `shares/${id}`) };
}

/** The view of a share, with the fields of the microversion. */
export function shareDetail(world: World, request: ApiRequest, share: Share): object {
  const { microversion, access } = request;
  const type = world.tables.shareTypes.get(share.typeId);
  const typeName = type?.name ?? null;
  const since = (minor: number, fields: object): object => (microversion >= minor ? fields : {});
  const paths = exportPaths(share, access);
  return {
    id: share.id,
    size: share.sizeGiB,
    availability_zone: share.zone,
    created_at: shareTime(share.createdMs),
    status: share.status,
    name: share.name,
    description: share.description,
    project_id: share.projectId,
    snapshot_id: share.snapshotId,
    share_network_id: null,
    share_proto: share.protocol,
    ...(microversion < 9 && { export_location: paths[0]?.path ?? null }),
    metadata: share.metadata,
    share_type: microversion < 6 ? typeName : share.typeId,
    volume_type: typeName,
    links: linksTo(request, `shares/${share.id}`),
    is_public: share.isPublic,
    ...(microversion < 9 && { export_locations: paths.map(({ path }) => path) }),
    ...since(2, { snapshot_support: isSet(type, 'snapshot_support') }),
    ...since(5, { task_state: null }),
    ...since(6, { share_type_name: typeName }),
    ...since(10, { access_rules_status: accessRulesStatus(world, share, microversion) }),
    ...since(11, { replication_type: type?.extraSpecs['replication_type'] ?? null, has_replicas: false }),
    ...since(16, { user_id: share.userId }),
    ...since(24, { create_share_from_snapshot_support: isSet(type, 'create_share_from_snapshot_support') }),
    ...since(27, { revert_to_snapshot_support: isSet(type, 'revert_to_snapshot_support') }),
    ...since(31, { share_group_id: null, source_share_group_snapshot_member_id: null }),
    ...since(32, { mount_snapshot_support: isSet(type, 'mount_snapshot_support') }),
    ...since(54, { progress: progressOf(share) }),
    ...since(69, { is_soft_deleted: false, scheduled_to_be_deleted_at: null }),
    ...(isAdmin(access) && {
      share_server_id: null,
      host: share.isPlaced ? `${share.zone ?? ''}@${BACKEND}#${BACKEND}` : '',
    }),
  };
}

function progressOf({ isExported, isPlaced, snapshotId }: Share): string | null {
  if (isExported) return '100%';
  return isPlaced || snapshotId !== null ? '0%' : null;
}

/** Combined state of a share's rules. Up to 2.27, the state during a change has a different name. */
export function accessRulesStatus({ indexes }: World, { id }: Share, microversion: number): string {
  const states = indexes.accessRulesByShare.of(id).map(({ state }) => state);
  if (states.includes('error')) return 'error';
  if (states.every((state) => state === 'active')) return 'active';
  return microversion < 28 ? 'out_of_sync' : 'syncing';
}
