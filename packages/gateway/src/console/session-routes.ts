import type { UserInfo } from '@fairway/apiserver/auth/user';
import { Allotment } from '@fairway/apiserver/server/allotment';
import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import { holderOf } from '@fairway/apiserver/server/traffic';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { EXTRA_ROLES } from '@fairway/identity/user-info';
import {
  ApiError,
  forbidden,
  isApiError,
  methodNotAllowed,
  notFound,
  tooManyRequests,
  unauthorized,
} from '@fairway/kube/object/api-error';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import type { KeystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';
import { isOwnPage } from './console-origin.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { delegatedRoles } from './delegated-roles.ts';
import {
  PasscodeRequiredError,
  scopeToAnyProject,
  scopeToProject,
  signInAtKeystone,
  toApiError,
  toDelegationError,
} from './keystone-sign-in.ts';
import type { ConsoleSession } from './sealed-session.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { NO_SESSION_COOKIE } from './session-cookie.ts';
import { SignInRateLimit } from './sign-in-rate-limit.ts';
import {
  accountOf,
  parseBegin,
  parseDelegation,
  parseSignIn,
  parseSwitch,
  type SignInRequest,
} from './sign-in-request.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import { tokenEndsAtMs } from './token-end.ts';

export interface SessionRoutesOptions {
  readonly sessions: ConsoleSessions;
  /** The clouds.yaml entry with Keystone's address. */
  readonly cloud: string | undefined;
  readonly singleSignOn: SingleSignOn;
  /** Undefined if Keystone users are not admitted. */
  readonly signInService: KeystoneSignIn | undefined;
  /** See ConsoleOptions. */
  readonly documentation?: string | undefined;
  /** The user of a bearer token; throws 401 if it is invalid. */
  readonly authenticate: (credentials: {
    readonly bearerToken: string;
    readonly peer: string | undefined;
  }) => Promise<UserInfo>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const SESSION_PATH = '/console/session';
const NAMESPACE_EXTRA = 'fairway.dev/namespace';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):/;
/** Concurrent requests to Keystone for signed-in users, who share its connections with users signing in. */
const REQUEST_SLOTS = { total: 12, perHolder: 4 };
const MAX_BODY_BYTES = 16 * 1024;

/** Signing in and out, and switching projects. Available only to pages of the console. */
export class SessionRoutes {
  readonly #options: SessionRoutesOptions;
  readonly #rateLimit = new SignInRateLimit();
  readonly #requestSlots = new Allotment(REQUEST_SLOTS);

  constructor(options: SessionRoutesOptions) {
    this.#options = options;
  }

  async respond(request: ApiRequest): Promise<ApiResponse> {
    if (!isOwnPage(request.headers)) throw forbidden({}, 'only console pages may send this request');
    const { method, path } = request;
    switch (`${method} ${path}`) {
      case `GET ${SESSION_PATH}`:
        return this.#showSession(request);
      case `POST ${SESSION_PATH}`:
        return this.#signIn(request);
      case `DELETE ${SESSION_PATH}`:
        return this.#signOut(request);
      case `GET ${SESSION_PATH}/projects`:
        return this.#projects(request);
      case `POST ${SESSION_PATH}/single-sign-on`:
        return this.#begin(request);
      case `POST ${SESSION_PATH}/delegation`:
        return this.#delegate(request);
      case `PUT ${SESSION_PATH}/project`:
        return this.#switchProject(request);
      default:
        if (path === SESSION_PATH) throw methodNotAllowed({ resource: 'session' }, method);
        throw notFound({ resource: 'session', name: path });
    }
  }

  async #showSession({ headers, peer }: ApiRequest): Promise<ApiResponse> {
    const session = await this.#options.sessions.of(headers);
    if (session === undefined) return this.#sessionResponse(undefined);
    try {
      return this.#sessionResponse({ session, user: await this.#userOf(session.token, peer) });
    } catch (error) {
      if (!isApiError(error, 'Unauthorized')) throw error;
      return this.#sessionResponse(undefined, NO_SESSION_COOKIE);
    }
  }

  async #signIn(request: ApiRequest): Promise<ApiResponse> {
    const signInRequest = parseSignIn(await bodyOf(request));
    const { clock, log, sessions, singleSignOn } = this.#options;
    const { peer = '' } = request;
    const end = this.#rateLimit.begin(peer, accountOf(signInRequest), clock.now());
    let wasRefused = true;
    try {
      const { token, endsAtMs, ...known } = await this.#tokenOf(signInRequest, request);
      const user = await this.#userOf(token, peer);
      const { cookie, session } = await sessions.cookieOf(
        { token, ...known, user: known.user ?? user.username },
        endsAtMs,
      );
      wasRefused = false;
      await this.#revokeSession(await sessions.of(request.headers));
      log.info({ user: user.username, name: session.user, way: signInRequest.kind, peer }, 'signed in to the console');
      return {
        ...this.#sessionResponse({ session, user }, cookie),
        cookies: singleSignOn.ended(request.headers['cookie']),
      };
    } catch (error) {
      if (error instanceof PasscodeRequiredError) {
        // The password was right, but a passcode is still required: this is not a success, and counts as an attempt.
        throw passcodeRequired(error.message);
      }
      wasRefused = isApiError(error, 'Unauthorized', 'Forbidden');
      if (wasRefused)
        log.warn(
          { way: signInRequest.kind, account: accountOf(signInRequest), peer },
          'rejected a sign-in to the console',
        );
      throw error;
    } finally {
      end(wasRefused);
    }
  }

  async #tokenOf(signInRequest: SignInRequest, { peer, headers }: ApiRequest) {
    const { signInService, singleSignOn } = this.#options;
    if (signInRequest.kind === 'token') {
      await this.#userOf(signInRequest.token, peer);
      return {
        kind: 'token',
        token: signInRequest.token,
        endsAtMs: tokenEndsAtMs(signInRequest.token),
        user: undefined,
      } as const;
    }
    if (signInService === undefined) throw notFound({ resource: 'session', name: 'keystone' });
    if (signInRequest.kind !== 'singleSignOn')
      return keystoneSession(await signInAtKeystone(signInService, signInRequest));
    const unscopedToken = await singleSignOn.tokenOf(headers['cookie']);
    const scopedSession = keystoneSession(await scopeToAnyProject(signInService, unscopedToken, signInRequest.project));
    // This makes the sign-in single-use.
    await this.#revoke(signInService, unscopedToken);
    return scopedSession;
  }

  async #begin(request: ApiRequest): Promise<ApiResponse> {
    const name = parseBegin(await bodyOf(request));
    const { url, cookie } = await this.#options.singleSignOn.begin(name, request.headers['host'] ?? '');
    return json({ url }, cookie);
  }

  async #signOut({ headers, peer }: ApiRequest): Promise<ApiResponse> {
    const session = await this.#options.sessions.of(headers);
    // The user is only needed for the audit log; signing out works even if the user cannot be determined.
    const user = session && (await this.#userOf(session.token, peer).catch(() => undefined));
    await this.#revokeSession(session);
    return { ...this.#sessionResponse(undefined, NO_SESSION_COOKIE), user };
  }

  /**
   * Revokes the token of a session that the browser has dropped, so that a copied cookie is worthless. A token that the
   * user provided is not revoked.
   */
  async #revokeSession(session: ConsoleSession | undefined): Promise<void> {
    const { signInService } = this.#options;
    if (session?.kind === 'keystone' && signInService !== undefined) await this.#revoke(signInService, session.token);
  }

  #revoke(signInService: KeystoneSignIn, token: string): Promise<void> {
    return signInService.revoke(token).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'failed to revoke a console token; it remains valid until it expires');
    });
  }

  #projects(request: ApiRequest): Promise<ApiResponse> {
    return this.#asUser(request, async ({ signInService, session }) => {
      const projects = await signInService.projects(session.token).catch(toApiError);
      const sorted = [...projects].sort((a, b) => a.name.localeCompare(b.name));
      return json({ projects: sorted.map(({ id, name }) => ({ id, name })) });
    });
  }

  async #switchProject(request: ApiRequest): Promise<ApiResponse> {
    const id = parseSwitch(await bodyOf(request));
    return this.#asUser(request, async ({ signInService, session }) => {
      const { endsAtMs, ...next } = keystoneSession(await scopeToProject(signInService, session.token, id));
      const user = await this.#userOf(next.token, request.peer);
      const { cookie, session: switchedSession } = await this.#options.sessions.cookieOf(next, endsAtMs);
      // Keystone revokes only this token, not those created with it.
      await this.#revokeSession(session);
      return this.#sessionResponse({ session: switchedSession, user }, cookie);
    });
  }

  /**
   * An application credential with which Fairway may act in the user's project. The page stores it as a
   * CloudCredential, as `fairway credential create` does. Only the user can create one, and it can do no more than the
   * clusters need.
   */
  async #delegate(request: ApiRequest): Promise<ApiResponse> {
    const name = parseDelegation(await bodyOf(request));
    return this.#asUser(request, async ({ signInService, session, user }) => {
      const roles = delegatedRoles(user.extra?.[EXTRA_ROLES] ?? []).map((role) => ({ name: role }));
      if (roles.length === 0) {
        throw forbidden(
          {},
          'you lack the role that clusters need in this project: request "member", or its equivalent in the cloud',
        );
      }
      const by = { token: session.token, userId: user.uid ?? '' };
      const credentialSpec = {
        name,
        description: 'Used by Fairway to run Kubernetes clusters',
        roles,
        unrestricted: false,
      };
      const { id, secret } = await signInService.delegate(by, credentialSpec).catch(toDelegationError);
      return json({ cloud: this.#options.cloud, id, secret });
    });
  }

  /**
   * Calls Keystone for a signed-in user, with limited concurrency. Throws 401 if no one is signed in, and 429 for too many
   * requests.
   */
  async #asUser(
    { headers, peer }: ApiRequest,
    handle: (known: {
      readonly session: ConsoleSession;
      readonly signInService: KeystoneSignIn;
      readonly user: UserInfo;
    }) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const session = await this.#options.sessions.of(headers);
    const { signInService } = this.#options;
    if (session?.kind !== 'keystone' || signInService === undefined) throw unauthorized();
    const user = await this.#userOf(session.token, peer);
    const holder = holderOf(user);
    if (this.#requestSlots.exceededLimit(holder) !== undefined)
      throw tooManyRequests('Keystone has not responded yet: try again', 1);
    this.#requestSlots.take(holder);
    try {
      return { user, ...(await handle({ session, signInService, user })) };
    } finally {
      this.#requestSlots.release(holder);
    }
  }

  #userOf(bearerToken: string, peer: string | undefined): Promise<UserInfo> {
    return this.#options.authenticate({ bearerToken, peer });
  }

  #sessionResponse(
    known: { readonly session: ConsoleSession; readonly user: UserInfo } | undefined,
    cookie?: string,
  ): ApiResponse {
    const { names } = this.#options.singleSignOn;
    const options = {
      keystone: this.#options.signInService !== undefined,
      ...(names.length > 0 && { singleSignOn: names }),
    };
    const { documentation } = this.#options;
    const body = { options, ...(documentation && { documentation }), ...(known && { session: shown(known) }) };
    return { ...json(body, cookie), user: known?.user };
  }
}

function keystoneSession({ id, token, expiresAtMs }: IssuedToken) {
  const { project } = token;
  return {
    kind: 'keystone',
    token: id,
    user: token.user.name,
    endsAtMs: expiresAtMs,
    ...(project && { project: { id: project.id, name: project.name, domain: project.domain.name } }),
  } as const;
}

/** The part of a session that a page may see: never the token. */
function shown({ session, user }: { readonly session: ConsoleSession; readonly user: UserInfo }) {
  const { kind, project, endsAtMs } = session;
  const [, serviceAccountNamespace] = SERVICE_ACCOUNT.exec(user.username) ?? [];
  const namespace = user.extra?.[NAMESPACE_EXTRA]?.[0] ?? serviceAccountNamespace;
  return {
    kind,
    user: session.user,
    username: user.username,
    expiresAt: new Date(endsAtMs).toISOString(),
    ...(project && { project }),
    ...(namespace !== undefined && { namespace }),
  };
}

/** For any client: unauthenticated requests share one limit, so the size is checked before reading. */
async function bodyOf(request: ApiRequest): Promise<string> {
  return (await request.readContent(undefined, MAX_BODY_BYTES)).body;
}

function passcodeRequired(message: string): ApiError {
  const cause = { reason: 'FieldValueRequired', field: 'passcode', message };
  return new ApiError(401, 'Unauthorized', message, { causes: [cause] });
}

function json(body: object, cookie?: string): ApiResponse {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' };
  return {
    status: 200,
    headers: { ...headers, ...(cookie !== undefined && { 'set-cookie': cookie }) },
    body: JSON.stringify(body),
  };
}
