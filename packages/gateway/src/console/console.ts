import { statusResponse } from '@fairway/apiserver/server/pipeline';
import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import type { Route } from '@fairway/apiserver/server/routes';
import type { ReadSession } from '@fairway/apiserver/server/session-reader';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { SingleSignOnMethod } from '@fairway/identity/settings';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError, methodNotAllowed, unauthorized } from '@fairway/kube/object/api-error';
import { CONSOLE_PATH, ConsoleFiles, plain } from './console-files.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { SessionKeyManager } from './session-key-manager.ts';
import { SESSION_PATH, SessionRoutes, type SessionRoutesOptions } from './session-routes.ts';
import { SINGLE_SIGN_ON_PATH, SingleSignOn } from './single-sign-on.ts';
import { parseWatches } from './watch-request.ts';
import { type OpenWatch, watchStream } from './watch-stream.ts';

/** The API, called with a session's token; `peer` is the address of its browser. */
export type OpenWatchAs = (
  credentials: { readonly bearerToken: string; readonly peer: string },
  ...watch: Parameters<OpenWatch>
) => ReturnType<OpenWatch>;

export interface ConsoleOptions extends Pick<SessionRoutesOptions, 'cloud' | 'signInService' | 'authenticate'> {
  /** Acts with Fairway's identity. */
  readonly client: () => KubeClient;
  readonly openWatch: OpenWatchAs;
  /** Keystone's single sign-on methods; none by default. */
  readonly singleSignOn?: readonly SingleSignOnMethod[] | undefined;
  /** URL of documentation pages, with `{page}` for the path without `.md`; if absent, the console has no links to them. */
  readonly documentation?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly files?: ConsoleFiles | undefined;
}

/** A gateway's console. */
export interface Console {
  readonly routes: readonly Route[];
  /** The requests that the console's pages may send with their cookie. */
  readonly readSession: ReadSession;
}

const WATCHES_PATH = '/console/watches';
/** Sixteen paths with long selectors. */
const MAX_BODY_BYTES = 64 * 1024;

export function createConsole(options: ConsoleOptions): Console {
  const { cloud, signInService, authenticate, documentation, clock, log, files = ConsoleFiles.open() } = options;
  if (!files.isBuilt) log.warn({}, 'the console is not built: npm run build:console');
  let keys: SessionKeyManager | undefined;
  const manager = { get: () => (keys ??= new SessionKeyManager(options.client(), clock)).get() };
  const sessions = new ConsoleSessions(manager, clock);
  const ways = signInService === undefined ? [] : (options.singleSignOn ?? []);
  const singleSignOn = new SingleSignOn({ ways, keys: manager, clock });
  const session = new SessionRoutes({
    sessions,
    singleSignOn,
    cloud,
    signInService,
    documentation,
    authenticate,
    clock,
    log,
  });
  const routes: Route[] = [
    { path: CONSOLE_PATH.slice(0, -1), prefix: true, public: true, handle: (request) => files.respond(request) },
    {
      path: SESSION_PATH,
      prefix: true,
      public: true,
      handle: (request) => session.respond(request).catch((error: unknown) => refusal(error, log)),
    },
    {
      path: SINGLE_SIGN_ON_PATH,
      public: true,
      // A GET of this path returns the page.
      handles: ({ method }) => method === 'POST',
      handle: (request) => singleSignOn.receiveToken(request).catch((error: unknown) => refusal(error, log)),
    },
    {
      path: WATCHES_PATH,
      public: true,
      handle: (request) =>
        respondWithWatches(request, options, sessions).catch((error: unknown) => refusal(error, log)),
    },
    {
      path: '/',
      public: true,
      // Other clients expect an API server's list of paths.
      handles: ({ method, headers }) => method === 'GET' && /\btext\/html\b/.test(headers['accept'] ?? ''),
      handle: () => plain(302, '', { location: CONSOLE_PATH }),
    },
  ];
  return { routes, readSession: sessions.credentialsOf };
}

async function respondWithWatches(
  request: ApiRequest,
  { authenticate, openWatch, clock }: ConsoleOptions,
  sessions: ConsoleSessions,
): Promise<ApiResponse> {
  const { method, headers, peer = '', signal = new AbortController().signal } = request;
  if (method !== 'POST') throw methodNotAllowed({ resource: 'watches' }, method);
  const session = await sessions.of(headers);
  if (session === undefined) throw unauthorized();
  const credentials = { bearerToken: session.token, peer };
  const user = await authenticate(credentials);
  const watches = parseWatches((await request.readContent(user, MAX_BODY_BYTES)).body);
  const body = watchStream({
    watches,
    open: (path, stop) => openWatch(credentials, path, stop),
    endsAtMs: session.endsAtMs,
    clock,
    signal,
  });
  const type = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  return { status: 200, headers: { ...SECURITY_HEADERS, ...type }, body, user };
}

function refusal(error: unknown, log: Logger) {
  if (error instanceof ApiError) return statusResponse(error);
  log.error({ err: error }, 'console request failed');
  return statusResponse(new ApiError(500, 'InternalError', 'Internal error occurred: see the server’s log'));
}
