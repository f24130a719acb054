import { createHash } from 'node:crypto';
import { type ApiRequest, ok, type Route } from '../http/api.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { notFound } from './problem.ts';
import type { Share } from './records.ts';
import { shareRoute, shareTime } from './route.ts';
import { findShareOfPath } from './share-lookup.ts';

interface ExportPath {
  readonly id: string;
  readonly path: string;
  readonly isPreferred: boolean;
  readonly isAdminOnly: boolean;
}

/** Addresses of the back end: one visible only to administrators, and two public ones. */
const ADDRESSES = [
  { address: '10.254.0.11', isPreferred: false, isAdminOnly: true },
  { address: '10.254.0.10', isPreferred: true, isAdminOnly: false },
  { address: '10.254.0.20', isPreferred: false, isAdminOnly: false },
] as const;

/** A share's export locations that are visible to the caller. */
export function exportPaths({ id, instanceId, protocol, isExported }: Share, access: Access): ExportPath[] {
  if (!isExported) return [];
  const name = `share_${id.replaceAll('-', '_')}_${instanceId.replaceAll('-', '_')}`;
  return ADDRESSES.filter(({ isAdminOnly }) => !isAdminOnly || isAdmin(access)).map(({ address, ...rest }) => ({
    id: uuidOf(`${instanceId} ${address}`),
    path: protocol === 'CIFS' ? `\\\\${address}\\${name}` : `${address}:/shares/${name}`,
    ...rest,
  }));
}

function uuidOf(text: string): string {
  const h = createHash('md5').update(text).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20)}`;
}

const VERSION_RANGE = { since: 9 };
const PREFERRED_MICROVERSION = 14;

export function exportLocationRoutes(world: World): Route[] {
  const template = '/shares/{id}/export_locations';
  return [
    shareRoute(
      'GET',
      template,
      (request) => {
        const share = findShareOfPath(world, request);
        const paths = exportPaths(share, request.access);
        return ok({ export_locations: paths.map((path) => view(request, share, path)) });
      },
      VERSION_RANGE,
    ),
    shareRoute(
      'GET',
      `${template}/{location}`,
      (request) => {
        const share = findShareOfPath(world, request);
        const id = request.params['location'] ?? '';
        const found = exportPaths(share, request.access).find((path) => path.id === id);
        if (found === undefined) throw notFound(`Export location '${id}' not found.`);
        const time = shareTime(share.createdMs);
        return ok({ export_location: { ...view(request, share, found), created_at: time, updated_at: time } });
      },
      VERSION_RANGE,
    ),
  ];
}

function view({ microversion, access }: ApiRequest, { instanceId }: Share, path: ExportPath): object {
  return {
    id: path.id,
    path: path.path,
    ...(microversion >= PREFERRED_MICROVERSION && { preferred: path.isPreferred }),
    ...(isAdmin(access) && { share_instance_id: instanceId, is_admin_only: path.isAdminOnly }),
  };
}
