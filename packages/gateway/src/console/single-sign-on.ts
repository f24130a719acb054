import type { Answer, ApiRequest } from '@fairway/apiserver/server/request';
import type { Clock } from '@fairway/base/clock';
import type { SingleSignOnWay } from '@fairway/identity/settings';
import { forbidden, notFound, unauthorized } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { plain } from './console-files.ts';
import { MAX_SEALED_CHARACTERS, opened, sealed } from './sealed.ts';
import { cookieOf, endedCookie, strictCookie } from './session-cookie.ts';
import type { SessionKeyManager } from './session-key-manager.ts';

/** Where Keystone's page sends tokens (its `trusted_dashboard`), and where browsers continue. */
export const SINGLE_SIGN_ON_PATH = '/console/sso';

const BEGUN_COOKIE = '__Host-fairway-sso-begun';
const TOKEN_COOKIE = '__Host-fairway-sso-token';
/** Enough for a second factor and a password that must be looked up. */
const BEGUN_MS = 10 * 60_000;
/** The following page uses it immediately. */
const TOKEN_MS = 60_000;

const Begun = z.object({ kind: z.literal('begun'), url: z.string(), endsAtMs: z.number() });
const Brought = z.object({ kind: z.literal('brought'), from: z.string(), token: z.string(), endsAtMs: z.number() });

export interface SingleSignOnOptions {
  readonly ways: readonly SingleSignOnWay[];
  readonly keys: Pick<SessionKeyManager, 'get'>;
  readonly clock: Clock;
}

/**
 * Keystone's single sign-on: the browser is sent to Keystone, whose page posts a token back by a form, from another site.
 *
 * ## Guarantees
 * Another site cannot sign a user in as someone else. A form is accepted only from Keystone's origin, as reported by the browser.
 * The form itself signs no one in: its token is sealed into a cookie for a minute, and is used only when a page of the console
 * asks for it, in a browser where a page of the console has begun a sign-in at the same Keystone and no one has signed in since.
 * Requests caused by other sites carry neither cookie (SameSite=Strict).
 *
 * ## Caveats
 * Keystone returns nothing that distinguishes one sign-in from another in the same browser.
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

  /** The URL for a page that begins a sign-in, and the cookie that records it. Throws 404. */
  async begin(name: string, host: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const { ways, keys, clock } = this.#options;
    const way = ways.find((each) => each.name === name);
    if (way === undefined) throw notFound({ resource: 'session', name });
    const begun = { kind: 'begun', url: way.url, endsAtMs: clock.now() + BEGUN_MS } satisfies z.infer<typeof Begun>;
    const query = new URLSearchParams({ origin: `https://${host}${SINGLE_SIGN_ON_PATH}` });
    const cookie = strictCookie(BEGUN_COOKIE, await sealed(begun, await keys.get()), BEGUN_MS);
    return { url: `${way.url}?${query.toString()}`, cookie };
  }

  /** Handles the form from Keystone's page. Redirects the browser to the page that continues. */
  async receive(request: ApiRequest): Promise<Answer> {
    const { ways, keys, clock } = this.#options;
    const from = request.headers['origin'] ?? '';
    if (!ways.some(({ url }) => new URL(url).origin === from)) {
      return plain(403, 'Only the Keystone page that the console redirected you to may send this request.\n');
    }
    const { body } = await request.readContent(undefined, 2 * MAX_SEALED_CHARACTERS);
    const token = new URLSearchParams(body).get('token') ?? '';
    const endsAtMs = clock.now() + TOKEN_MS;
    const brought = { kind: 'brought', from, token, endsAtMs } satisfies z.infer<typeof Brought>;
    const text = await sealed(brought, await keys.get());
    if (token === '' || text.length > MAX_SEALED_CHARACTERS) return plain(400, 'The token is missing or too long.\n');
    const cookie = strictCookie(TOKEN_COOKIE, text, TOKEN_MS);
    return plain(303, '', { location: SINGLE_SIGN_ON_PATH, 'set-cookie': cookie });
  }

  /** The token that Keystone has sent to this browser. Throws 401 if it has sent none, and 403 if no sign-in has begun here. */
  async tokenOf(cookies: string | undefined): Promise<string> {
    const { keys, clock } = this.#options;
    const known = await keys.get();
    const nowMs = clock.now();
    const brought = await opened(Brought, cookieOf(cookies, TOKEN_COOKIE) ?? '', known, nowMs);
    if (brought === undefined)
      throw unauthorized('no token was received from Keystone, or it is more than a minute old');
    const begun = await opened(Begun, cookieOf(cookies, BEGUN_COOKIE) ?? '', known, nowMs);
    if (begun === undefined || new URL(begun.url).origin !== brought.from) {
      throw forbidden({}, 'no sign-in was started here, or it is more than ten minutes old');
    }
    return brought.token;
  }

  /**
   * After a sign-in by any method: makes the browser delete a sign-in that it has begun here. Otherwise another token from
   * Keystone's page could sign the user in again, as whichever user it belongs to.
   */
  ended(cookies: string | undefined): readonly string[] {
    return [BEGUN_COOKIE, TOKEN_COOKIE].filter((name) => cookieOf(cookies, name) !== undefined).map(endedCookie);
  }
}
