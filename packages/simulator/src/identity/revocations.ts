import { ApiError, type ApiRequest, type ApiResponse, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireServiceOrAdmin } from './problem.ts';
import type { Revocation } from './records.ts';
import { formatKeystoneTime, parseTime } from './time.ts';
import type { TokenClaims } from './token-claims.ts';

/** The fields that a revocation may set: it matches tokens with all of them. */
type RevocationCriteria = Pick<Revocation, 'auditId' | 'userId' | 'projectId' | 'trustId'>;

export function revocationRoutes(world: World): Route[] {
  return [{ method: 'GET', template: '/v3/OS-REVOKE/events', handle: (request) => list(world, request) }];
}

/** Revokes tokens issued up to now. Keystone keeps the revocation for the lifetime of a token. */
export function revoke(world: World, marks: RevocationCriteria): void {
  const { tables, clock, config, ids } = world;
  const nowMs = clock.now();
  const { revocations } = tables;
  for (const { id } of revocations.where(({ atMs }) => atMs + config.tokenLifetimeMs < nowMs)) revocations.delete(id);
  revocations.put({ id: ids.hex(), atMs: nowMs, ...marks });
}

export function isRevoked(world: World, claims: TokenClaims): boolean {
  const { tables } = world;
  if (tables.revocations.size === 0) return false;
  const trust = tables.trusts.get(claims.trustId ?? '');
  const users = [claims.userId, trust?.trustorUserId, trust?.trusteeUserId];
  const projectId = claims.scope.kind === 'project' ? claims.scope.projectId : undefined;
  const found = tables.revocations.find(
    (event) =>
      (event.auditId === undefined || event.auditId === claims.auditIds[0]) &&
      (event.userId === undefined || users.includes(event.userId)) &&
      (event.projectId === undefined || event.projectId === projectId) &&
      (event.trustId === undefined || event.trustId === claims.trustId) &&
      (claims.issuedMs < event.atMs || event.auditId !== undefined),
  );
  return found !== undefined;
}

function list(world: World, request: ApiRequest): ApiResponse {
  requireServiceOrAdmin(request.access, 'list_revoke_events');
  const since = request.query.get('since');
  const sinceMs = since === null ? 0 : parseTime(since);
  if (sinceMs === undefined) throw new ApiError(400, `invalidate date format ${since}`);
  const events = world.tables.revocations.where(({ atMs }) => atMs > sinceMs).map((event) => eventView(event));
  const links = { next: null, self: `${request.origin}${request.path}`, previous: null };
  return { status: 200, body: { events, links } };
}

function eventView({ auditId, userId, projectId, trustId, atMs }: Revocation): object {
  return {
    ...(auditId !== undefined && { audit_id: auditId }),
    ...(userId !== undefined && { user_id: userId }),
    ...(projectId !== undefined && { project_id: projectId }),
    ...(trustId !== undefined && { 'OS-TRUST:trust_id': trustId }),
    issued_before: formatKeystoneTime(atMs),
    revoked_at: formatKeystoneTime(atMs),
  };
}
