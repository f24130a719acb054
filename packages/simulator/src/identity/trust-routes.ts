import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { isAdmin } from './access.ts';
import { collection } from './collection.ts';
import { forbidden, NOT_AUTHORIZED, notFound } from './problem.ts';
import { ROLES, type RoleName, type Trust } from './records.ts';
import { revoke } from './revocations.ts';
import { parseTime } from './time.ts';
import { roleViews, trustView } from './views.ts';

const Body = z.object({
  trust: z.object({
    trustor_user_id: z.string(),
    trustee_user_id: z.string(),
    impersonation: z.boolean(),
    project_id: z.string().nullish(),
    roles: z.array(z.object({ id: z.string().optional(), name: z.string().optional() })).optional(),
    expires_at: z.string().nullish(),
    remaining_uses: z.number().int().min(1).nullish(),
    allow_redelegation: z.boolean().nullish(),
  }),
});

const TEMPLATE = '/v3/OS-TRUST/trusts';

export function trustRoutes(world: World): Route[] {
  return [
    { method: 'GET', template: TEMPLATE, handle: (request) => list(world, request) },
    { method: 'POST', template: TEMPLATE, handle: (request) => create(world, request) },
    {
      method: 'GET',
      template: `${TEMPLATE}/{id}`,
      handle: (request) => ok({ trust: trustView(find(world, request), request.origin) }),
    },
    { method: 'DELETE', template: `${TEMPLATE}/{id}`, handle: (request) => remove(world, request) },
    {
      method: 'GET',
      template: `${TEMPLATE}/{id}/roles`,
      handle: (request) => collection(request, 'roles', roleViews(find(world, request).roles)),
    },
  ];
}

/** Tokens from application credentials may not be used to manage trusts, whether restricted or not. */
function refuseCredential({ access }: ApiRequest): void {
  if (access.claims?.applicationCredentialId === undefined) return;
  throw new ApiError(403, `${NOT_AUTHORIZED}: Delegated tokens cannot manage trusts..`);
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  refuseCredential(request);
  const trustor = query.get('trustor_user_id');
  const trustee = query.get('trustee_user_id');
  if (!isAdmin(access) && trustor !== access.userId && trustee !== access.userId) throw forbidden('list_trusts');
  const found = world.tables.trusts.where(
    (t) =>
      t.deletedMs === null &&
      (trustor === null || t.trustorUserId === trustor) &&
      (trustee === null || t.trusteeUserId === trustee),
  );
  return collection(
    request,
    'trusts',
    found.map((t) => trustView(t, request.origin)),
    [],
  );
}

function find(world: World, request: ApiRequest): Trust {
  refuseCredential(request);
  const id = request.params['id'] ?? '';
  const trust = world.tables.trusts.get(id);
  if (trust === undefined || trust.deletedMs !== null) throw notFound('trust', id);
  const { userId } = request.access;
  if (!isAdmin(request.access) && userId !== trust.trustorUserId && userId !== trust.trusteeUserId)
    throw forbidden('get_trust');
  return trust;
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access } = request;
  const { trust: body } = parseBody(Body, request.body);
  if (body.trustor_user_id !== access.userId) throw forbidden('create_trust');
  refuseCredential(request);
  if (access.claims?.trustId !== undefined) throw new ApiError(403, `${NOT_AUTHORIZED}.`);
  if (!world.tables.users.has(body.trustee_user_id)) throw notFound('user', body.trustee_user_id);
  const projectId = body.project_id ?? access.projectId;
  if (projectId !== access.projectId || projectId === '') throw forbidden('create_trust');
  const roles = chooseRoles(body.roles ?? [], access.roles);
  if (roles.length === 0) throw new ApiError(403, 'At least one role should be specified.');
  const expiresMs = body.expires_at == null ? null : parseTime(body.expires_at);
  if (expiresMs === undefined)
    throw new ApiError(
      400,
      'Timestamp not in expected format. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.',
    );
  const trust = world.tables.trusts.put({
    id: world.ids.hex(),
    trustorUserId: body.trustor_user_id,
    trusteeUserId: body.trustee_user_id,
    projectId,
    roles,
    impersonation: body.impersonation,
    expiresMs,
    remainingUses: body.remaining_uses ?? null,
    allowRedelegation: body.allow_redelegation ?? false,
    deletedMs: null,
  });
  return { status: 201, body: { trust: trustView(trust, request.origin) } };
}

function chooseRoles(
  requested: readonly { readonly id?: string | undefined; readonly name?: string | undefined }[],
  held: readonly RoleName[],
): RoleName[] {
  return requested.map((reference) => {
    const role = ROLES.find((r) => (reference.id === undefined ? r.name === reference.name : r.id === reference.id));
    if (role === undefined || !held.includes(role.name)) throw notFound('role', reference.id ?? reference.name ?? '');
    return role.name;
  });
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const trust = find(world, request);
  if (!isAdmin(request.access) && request.access.userId !== trust.trustorUserId) throw forbidden('delete_trust');
  world.tables.trusts.put({ ...trust, deletedMs: world.clock.now() });
  revoke(world, { trustId: trust.id });
  return noContent;
}
