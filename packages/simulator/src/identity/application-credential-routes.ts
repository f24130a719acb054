import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { hashSecret } from './authenticate.ts';
import { collection } from './collection.ts';
import { forbidden, NOT_AUTHORIZED, notFound, requireSelfOrAdmin } from './problem.ts';
import { type ApplicationCredential, ROLES, type RoleName } from './records.ts';
import { parseTime } from './time.ts';
import { applicationCredentialView } from './views.ts';

const Body = z.object({
  application_credential: z.object({
    name: z.string().min(1).max(255),
    description: z.string().nullish(),
    secret: z.string().nullish(),
    roles: z.array(z.object({ id: z.string().optional(), name: z.string().optional() })).optional(),
    expires_at: z.string().nullish(),
    unrestricted: z.boolean().nullish(),
    /** Access rules are not supported. They are rejected, because ignoring them would widen the credential. */
    access_rules: z.array(z.unknown()).max(0).optional(),
  }),
});

const TEMPLATE = '/v3/users/{user}/application_credentials';

export function applicationCredentialRoutes(world: World): Route[] {
  return [
    { method: 'GET', template: TEMPLATE, handle: (request) => list(world, request) },
    { method: 'POST', template: TEMPLATE, handle: (request) => create(world, request) },
    { method: 'GET', template: `${TEMPLATE}/{id}`, handle: (request) => show(world, request) },
    { method: 'DELETE', template: `${TEMPLATE}/{id}`, handle: (request) => remove(world, request) },
  ];
}

function list(world: World, request: ApiRequest): ApiResponse {
  const userId = request.params['user'] ?? '';
  requireSelfOrAdmin(request.access, userId, 'list_application_credentials');
  refuseTrust(request);
  const own = world.tables.applicationCredentials.where((c) => c.userId === userId);
  return collection(
    request,
    'application_credentials',
    own.map((c) => applicationCredentialView(c, request.origin)),
  );
}

function find(world: World, request: ApiRequest, action: string): ApplicationCredential {
  const userId = request.params['user'] ?? '';
  requireSelfOrAdmin(request.access, userId, action);
  refuseTrust(request);
  const id = request.params['id'] ?? '';
  const credential = world.tables.applicationCredentials.get(id);
  if (credential?.userId !== userId) throw notFound('Application Credential', id);
  return credential;
}

function show(world: World, request: ApiRequest): ApiResponse {
  const credential = find(world, request, 'get_application_credential');
  return ok({ application_credential: applicationCredentialView(credential, request.origin) });
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access } = request;
  const userId = request.params['user'] ?? '';
  if (access.userId !== userId || access.projectId === '') throw forbidden('create_application_credential');
  refuseTrust(request);
  refuseRestricted(world, request);
  const { application_credential: body } = parseBody(Body, request.body);
  const { applicationCredentials } = world.tables;
  if (applicationCredentials.find((c) => c.userId === userId && c.name === body.name) !== undefined) {
    throw new ApiError(
      409,
      'Conflict occurred attempting to store application_credential - Duplicate entry found with name ' +
        `${body.name} at user ID ${userId}.`,
    );
  }
  const secret = body.secret ?? world.ids.secret(86);
  const credential = applicationCredentials.put({
    id: world.ids.hex(),
    name: body.name,
    description: body.description ?? null,
    userId,
    projectId: access.projectId,
    roles: body.roles === undefined ? access.roles : chooseRoles(body.roles, access.roles),
    secretHash: hashSecret(secret),
    unrestricted: body.unrestricted ?? false,
    expiresMs: parseExpiry(world, body.expires_at ?? null),
  });
  const view = applicationCredentialView(credential, request.origin);
  return { status: 201, body: { application_credential: { ...view, secret } } };
}

function chooseRoles(
  requested: readonly { readonly id?: string | undefined; readonly name?: string | undefined }[],
  held: readonly RoleName[],
): RoleName[] {
  return requested.map((reference) => {
    const role = ROLES.find((r) => (reference.id === undefined ? r.name === reference.name : r.id === reference.id));
    if (role === undefined) throw notFound('role', reference.id ?? reference.name ?? '');
    if (!held.includes(role.name)) {
      throw new ApiError(
        400,
        'Invalid application credential: Cannot create an application credential with unassigned role',
      );
    }
    return role.name;
  });
}

function parseExpiry(world: World, text: string | null): number | null {
  if (text === null) return null;
  const expiresMs = parseTime(text);
  if (expiresMs === undefined)
    throw new ApiError(400, `Invalid input for field 'expires_at': '${text}' is not a 'date-time'`);
  if (expiresMs <= world.clock.now())
    throw new ApiError(400, 'Timestamp not in expected format. The expiration must be in the future.');
  return expiresMs;
}

/** A restricted application credential may not create or delete application credentials, including itself. */
function refuseRestricted(world: World, { access }: ApiRequest): void {
  const id = access.claims?.applicationCredentialId;
  if (id === undefined || world.tables.applicationCredentials.get(id)?.unrestricted === true) return;
  throw new ApiError(
    403,
    `${NOT_AUTHORIZED}: Using method 'application_credential' is not allowed for managing additional application credentials..`,
  );
}

/** A trust-scoped token acts as the trustor, but may not see the trustor's credentials. */
function refuseTrust({ access }: ApiRequest): void {
  if (access.claims?.trustId !== undefined) throw new ApiError(403, `${NOT_AUTHORIZED}.`);
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const { id } = find(world, request, 'delete_application_credential');
  refuseRestricted(world, request);
  world.tables.applicationCredentials.delete(id);
  return noContent;
}
