import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { metadataRoutes } from './metadata.ts';
import { forbidden, unprocessableError } from './problem.ts';
import type { Share } from './records.ts';
import { shareRoute } from './route.ts';
import { createShare, parseIsPublic, text } from './share-create.ts';
import type { ShareLifecycle } from './share-lifecycle.ts';
import { listShares } from './share-list.ts';
import { findOwnShare, findShare, findShareOfPath } from './share-lookup.ts';
import { shareDetail } from './share-view.ts';

export function shareRoutes(world: World, lifecycle: ShareLifecycle): Route[] {
  return [
    shareRoute('GET', '/shares', (request) => listShares(world, request, false)),
    shareRoute('GET', '/shares/detail', (request) => listShares(world, request, true)),
    shareRoute('POST', '/shares', (request) => createShare(world, lifecycle, request)),
    shareRoute('GET', '/shares/{id}', (request) =>
      ok({ share: shareDetail(world, request, findShare(world, request)) }),
    ),
    shareRoute('PUT', '/shares/{id}', (request) => update(world, request)),
    shareRoute('DELETE', '/shares/{id}', (request) => {
      const share = findOwnShare(world, request);
      requireDeletable(world, share);
      lifecycle.begin({ ...share, status: 'deleting' }, { step: 'delete' });
      return ACCEPTED_RESPONSE;
    }),
    ...metadataRoutes<Share>({
      collection: 'shares',
      since: 0,
      find: (request, verb) => findShareOfPath(world, request, verb),
      labelsOf: ({ metadata }) => metadata,
      store: (share, metadata) => world.tables.shares.put({ ...share, metadata }),
    }),
  ];
}

/** Manila's response to accepted requests, which has an empty body. */
export const ACCEPTED_RESPONSE: ApiResponse = { status: 202, headers: { 'Content-Type': 'text/html; charset=UTF-8' } };

function update(world: World, request: ApiRequest): ApiResponse {
  const fields = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.['share'];
  if (typeof fields !== 'object' || fields === null) throw unprocessableError();
  const before = findOwnShare(world, request);
  const { display_name, display_description, is_public } = fields as Readonly<Record<string, unknown>>;
  const share = world.tables.shares.put({
    ...before,
    name: display_name === undefined ? before.name : text(display_name),
    description: display_description === undefined ? before.description : text(display_description),
    isPublic: is_public === undefined ? before.isPublic : parseIsPublic(request, is_public),
  });
  return ok({ share: shareDetail(world, request, share) });
}

const DELETABLE_STATUSES = ['available', 'error', 'inactive'];

/** Throws Zed's 403, which does not contain the reason. */
function requireDeletable({ indexes }: World, share: Share): void {
  const hasSnapshots = indexes.snapshotsByShare.of(share.id).length > 0;
  if (hasSnapshots || !DELETABLE_STATUSES.includes(share.status)) throw forbidden('Invalid share: %(reason)s.');
}
