import { ApiError, type ApiRequest, type ApiResponse, noContent, type Route } from '../http/api.ts';
import { PROVIDER } from '../identity-provider/records.ts';
import type { World } from '../world.ts';
import { isService } from './access.ts';
import { authenticate } from './authenticate.ts';
import { catalogFor } from './catalog.ts';
import { requireSelfOrAdmin, unauthorized } from './problem.ts';
import { InsufficientMethodsError, receiptFor } from './receipts.ts';
import { DEFAULT_DOMAIN, ROLES, type User } from './records.ts';
import { revoke as revokeTokens } from './revocations.ts';
import { formatKeystoneTime } from './time.ts';
import { assignedRoles, decodeToken, encodeToken, rolesOf } from './token.ts';
import type { TokenClaims } from './token-claims.ts';
import { projectView } from './views.ts';

export function tokenRoutes(world: World): Route[] {
  return [
    { method: 'POST', template: '/v3/auth/tokens', open: true, handle: (request) => issue(world, request) },
    { method: 'GET', template: '/v3/auth/tokens', handle: (request) => validate(world, request) },
    {
      method: 'HEAD',
      template: '/v3/auth/tokens',
      handle: (request) => ({ ...validate(world, request), body: undefined }),
    },
    { method: 'DELETE', template: '/v3/auth/tokens', handle: (request) => revoke(world, request) },
    { method: 'GET', template: '/v3/auth/catalog', handle: (request) => listCatalog(world, request) },
    { method: 'GET', template: '/v3/auth/projects', handle: (request) => listProjects(world, request) },
    {
      method: 'GET',
      template: '/v3/auth/domains',
      handle: (request) => ({
        status: 200,
        body: {
          domains: [{ ...DEFAULT_DOMAIN, enabled: true }],
          links: { self: `${request.origin}${request.path}`, previous: null, next: null },
        },
      }),
    },
    {
      method: 'GET',
      template: '/v3/auth/system',
      handle: ({ access }) => ({
        status: 200,
        body: { system: assignedRoles(world, access.userId, { kind: 'system' }).length > 0 ? [{ all: true }] : [] },
      }),
    },
  ];
}

function issue(world: World, request: ApiRequest): ApiResponse {
  const receipt = request.headers['openstack-auth-receipt'];
  try {
    return tokenResponse(
      world,
      request,
      authenticate(world, request.body, receipt === undefined ? undefined : String(receipt)),
    );
  } catch (error) {
    if (error instanceof InsufficientMethodsError) return receiptFor(world, error);
    throw error;
  }
}

/** The response to a request for a token. */
export function tokenResponse(world: World, request: ApiRequest, claims: TokenClaims): ApiResponse {
  return {
    status: 201,
    headers: { 'X-Subject-Token': encodeToken(world, claims) },
    body: { token: tokenView(world, claims, request.origin, !request.query.has('nocatalog')) },
  };
}

/**
 * The claims of the token in X-Subject-Token. The token must be the caller's own, or the caller must be a
 * service or an administrator.
 */
function subject(world: World, request: ApiRequest): { readonly token: string; readonly claims: TokenClaims } {
  const token = String(request.headers['x-subject-token'] ?? '');
  const claims = decodeToken(world, token);
  if (claims === undefined) throw new ApiError(404, `Could not find token: ${token}.`);
  if (!isService(request.access)) requireSelfOrAdmin(request.access, claims.userId, 'validate_token');
  return { token, claims };
}

function validate(world: World, request: ApiRequest): ApiResponse {
  const { token, claims } = subject(world, request);
  return {
    status: 200,
    headers: { 'X-Subject-Token': token },
    body: { token: tokenView(world, claims, request.origin, !request.query.has('nocatalog')) },
  };
}

function revoke(world: World, request: ApiRequest): ApiResponse {
  const { claims } = subject(world, request);
  const [auditId] = claims.auditIds;
  if (auditId !== undefined) revokeTokens(world, { auditId });
  return noContent;
}

function listCatalog(world: World, request: ApiRequest): ApiResponse {
  if (request.access.claims?.scope.kind === 'unscoped') throw unauthorized();
  const links = { self: `${request.origin}${request.path}`, previous: null, next: null };
  return {
    status: 200,
    body: { catalog: catalogFor(world, request.origin, request.access.projectId), links },
  };
}

function listProjects(world: World, request: ApiRequest): ApiResponse {
  const { access } = request;
  const projects = world.tables.projects.where(
    (project) =>
      project.enabled && assignedRoles(world, access.userId, { kind: 'project', projectId: project.id }).length > 0,
  );
  return {
    status: 200,
    body: {
      projects: projects.map((project) => projectView(project, request.origin)),
      links: { self: `${request.origin}${request.path}`, previous: null, next: null },
    },
  };
}

function userReference(user: User | undefined, id: string): object {
  return { domain: DEFAULT_DOMAIN, id, name: user?.name ?? '', password_expires_at: null };
}

function federationOf(id: string): object {
  return { identity_provider: { id }, protocol: { id: PROVIDER.protocol }, groups: [] };
}

function tokenView(world: World, claims: TokenClaims, origin: string, withCatalog: boolean): object {
  const { tables } = world;
  const { scope } = claims;
  const trust = claims.trustId === undefined ? undefined : tables.trusts.get(claims.trustId);
  const userId = trust?.impersonation === true ? trust.trustorUserId : claims.userId;
  const credential = tables.applicationCredentials.get(claims.applicationCredentialId ?? '');
  const roles = rolesOf(world, claims);
  const project = scope.kind === 'project' ? tables.projects.get(scope.projectId) : undefined;
  return {
    methods: claims.methods,
    user: {
      ...userReference(tables.users.get(userId), userId),
      ...(claims.identityProvider !== undefined && { 'OS-FEDERATION': federationOf(claims.identityProvider) }),
    },
    audit_ids: claims.auditIds,
    expires_at: formatKeystoneTime(claims.expiresMs),
    issued_at: formatKeystoneTime(claims.issuedMs),
    ...(scope.kind === 'unscoped' ? {} : { roles: ROLES.filter((role) => roles.includes(role.name)) }),
    ...(scope.kind === 'system' ? { system: { all: true } } : {}),
    ...(scope.kind === 'domain' ? { domain: DEFAULT_DOMAIN } : {}),
    ...(project === undefined
      ? {}
      : { project: { domain: DEFAULT_DOMAIN, id: project.id, name: project.name }, is_domain: false }),
    ...(trust === undefined
      ? {}
      : {
          'OS-TRUST:trust': {
            id: trust.id,
            trustor_user: { id: trust.trustorUserId },
            trustee_user: { id: trust.trusteeUserId },
            impersonation: trust.impersonation,
          },
        }),
    ...(credential === undefined
      ? {}
      : { application_credential: { id: credential.id, name: credential.name, restricted: !credential.unrestricted } }),
    ...(withCatalog && scope.kind !== 'unscoped'
      ? { catalog: catalogFor(world, origin, scope.kind === 'project' ? scope.projectId : '') }
      : {}),
  };
}
