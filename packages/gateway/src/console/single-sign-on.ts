import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import type { Clock } from '@fairway/base/clock';
import type { SingleSignOnMethod } from '@fairway/identity/settings';
import { forbidden, notFound, unauthorized } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { plain } from './console-files.ts';
import { MAX_SEALED_CHARACTERS, opened, sealed } from './sealed.ts';
import { cookieOf, expiredCookie, strictCookie } from './session-cookie.ts';
import type { SessionKeyManager } from './session-key-manager.ts';

/** Where Keystone's page sends tokens (its `trusted_dashboard`), and where browsers continue. */
export const SINGLE_SIGN_ON_PATH = '/console/sso';

const PENDING_COOKIE = '__Host-fairway-sso-begun';
const TOKEN_COOKIE = '__Host-fairway-sso-token';
/** Enough time to use a second factor and look up a password. */
const PENDING_TTL_MS = 10 * 60_000;
/** The next page uses the token immediately. */
const TOKEN_TTL_MS = 60_000;

const PendingSignIn = z.object({ kind: z.literal('begun'), url: z.string(), endsAtMs: z.number() });
const ReceivedToken = z.object({
  kind: z.literal('brought'),
  from: z.string(),
  token: z.string(),
  endsAtMs: z.number(),
});

export interface SingleSignOnOptions {
  readonly ways: readonly SingleSignOnMethod[];
  readonly keys: Pick<SessionKeyManager, 'get'>;
  readonly clock: Clock;
}

/**
 * Keystone's single sign-on: the console sends the browser to Keystone, whose page posts a token back through a form,
 * from another site.
 *
 * ## Guarantees Another site cannot sign a user in as someone else. A form is accepted only from Keystone's origin, as
 * reported by the browser. The form itself signs no one in: its token is sealed into a cookie for a minute. It is used
 * only when a page of the console requests it, in a browser where a page of the console has started a sign-in at the
 * same Keystone and no one has signed in since. Requests caused by other sites carry neither cookie (SameSite=Strict).
 *
 * ## Caveats Keystone returns nothing that distinguishes one sign-in from another in the same browser.
 */
export class SingleSignOn {
  readonly #options: SingleSignOnOptions;

  constructor(options: SingleSignOnOptions) {
    this.#options = options;
  }

  /** Display names of the methods. */
  get names(): readonly string[] {
    return this.#options.ways.map(({ name }) => name);
  }

  /** The URL at which a page starts a sign-in, and the cookie that records it. Throws 404. */
  async begin(name: string, host: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const { ways, keys, clock } = this.#options;
    const way = ways.find((each) => each.name === name);
    if (way === undefined) throw notFound({ resource: 'session', name });
    const pendingSignIn = { kind: 'begun', url: way.url, endsAtMs: clock.now() + PENDING_TTL_MS } satisfies z.infer<
      typeof PendingSignIn
    >;
    const query = new URLSearchParams({ origin: `https://${host}${SINGLE_SIGN_ON_PATH}` });
    const cookie = strictCookie(PENDING_COOKIE, await sealed(pendingSignIn, await keys.get()), PENDING_TTL_MS);
    return { url: `${way.url}?${query.toString()}`, cookie };
  }

  /** Handles the form from Keystone's page. Redirects the browser to the page that continues. */
  async receiveToken(request: ApiRequest): Promise<ApiResponse> {
    const { ways, keys, clock } = this.#options;
    const from = request.headers['origin'] ?? '';
    if (!ways.some(({ url }) => new URL(url).origin === from)) {
      return plain(403, 'Only the Keystone page that the console redirected you to may send this request.\n');
    }
    const { body } = await request.readContent(undefined, 2 * MAX_SEALED_CHARACTERS);
    const token = new URLSearchParams(body).get('token') ?? '';
    const endsAtMs = clock.now() + TOKEN_TTL_MS;
    const receivedToken = { kind: 'brought', from, token, endsAtMs } satisfies z.infer<typeof ReceivedToken>;
    const text = await sealed(receivedToken, await keys.get());
    if (token === '' || text.length > MAX_SEALED_CHARACTERS) return plain(400, 'The token is missing or too long.\n');
    const cookie = strictCookie(TOKEN_COOKIE, text, TOKEN_TTL_MS);
    return plain(303, '', { location: SINGLE_SIGN_ON_PATH, 'set-cookie': cookie });
  }

  /**
   * The token that Keystone has sent to this browser. Throws 401 if there is none, and 403 if no sign-in was started
   * here.
   */
  async tokenOf(cookies: string | undefined): Promise<string> {
    const { keys, clock } = this.#options;
    const known = await keys.get();
    const nowMs = clock.now();
    const receivedToken = await opened(ReceivedToken, cookieOf(cookies, TOKEN_COOKIE) ?? '', known, nowMs);
    if (receivedToken === undefined)
      throw unauthorized('no token was received from Keystone, or it is more than a minute old');
    const pendingSignIn = await opened(PendingSignIn, cookieOf(cookies, PENDING_COOKIE) ?? '', known, nowMs);
    if (pendingSignIn === undefined || new URL(pendingSignIn.url).origin !== receivedToken.from) {
      throw forbidden({}, 'no sign-in was started here, or it is more than ten minutes old');
    }
    return receivedToken.token;
  }

  /**
   * After a sign-in by any method, makes the browser forget a single sign-on that it has started here. Otherwise
   * another token from Keystone's page could sign the user in again, as any user.
   */
  ended(cookies: string | undefined): readonly string[] {
    return [PENDING_COOKIE, TOKEN_COOKIE].filter((name) => cookieOf(cookies, name) !== undefined).map(expiredCookie);
  }
}
