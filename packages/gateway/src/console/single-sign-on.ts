import type { Answer, ApiRequest } from '@fairway/apiserver/server/request';
import type { Clock } from '@fairway/base/clock';
import type { SingleSignOnWay } from '@fairway/identity/settings';
import { forbidden, notFound, unauthorized } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { plain } from './console-files.ts';
import { MAX_SEALED_CHARACTERS, opened, sealed } from './sealed.ts';
import { cookieOf, endedCookie, strictCookie } from './session-cookie.ts';
import type { SessionKeyManager } from './session-key-manager.ts';

/** Where Keystone's page sends tokens, as its `trusted_dashboard` names it; and where browsers go on. */
export const SINGLE_SIGN_ON_PATH = '/console/sso';

const BEGUN_COOKIE = '__Host-fairway-sso-begun';
const TOKEN_COOKIE = '__Host-fairway-sso-token';
/** With a second factor, and a password that is to be looked up. */
const BEGUN_MS = 10 * 60_000;
/** The page that comes next takes it at once. */
const TOKEN_MS = 60_000;

const Begun = z.object({ kind: z.literal('begun'), url: z.string(), endsAtMs: z.number() });
const Brought = z.object({ kind: z.literal('brought'), from: z.string(), token: z.string(), endsAtMs: z.number() });

export interface SingleSignOnOptions {
  readonly ways: readonly SingleSignOnWay[];
  readonly keys: Pick<SessionKeyManager, 'get'>;
  readonly clock: Clock;
}

/**
 * Keystone's single sign-on: a browser is led to Keystone, whose page sends a token here by a form, from another site.
 *
 * ## Guarantees
 * Nobody is signed in as somebody else by another site. A form is taken from Keystone's origin alone, as the browser names it. It signs nobody in: its token is sealed into
 * a cookie for a minute, and counts when a page of the console asks for it, in a browser in which a page of the console has begun to sign in at the same Keystone and nobody has signed in since. Neither cookie comes along with
 * what another site causes (SameSite=Strict).
 *
 * ## Caveats
 * Keystone gives nothing back that a sign-in could be told by from another one of the same browser.
 */
export class SingleSignOn {
  readonly #options: SingleSignOnOptions;

  constructor(options: SingleSignOnOptions) {
    this.#options = options;
  }

  /** Names of the ways, for people. */
  get names(): readonly string[] {
    return this.#options.ways.map(({ name }) => name);
  }

  /** Where a page that wants to sign in is to go, and the cookie of who has begun. Throws 404. */
  async begin(name: string, host: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const { ways, keys, clock } = this.#options;
    const way = ways.find((each) => each.name === name);
    if (way === undefined) throw notFound({ resource: 'session', name });
    const begun = { kind: 'begun', url: way.url, endsAtMs: clock.now() + BEGUN_MS } satisfies z.infer<typeof Begun>;
    const query = new URLSearchParams({ origin: `https://${host}${SINGLE_SIGN_ON_PATH}` });
    const cookie = strictCookie(BEGUN_COOKIE, await sealed(begun, await keys.get()), BEGUN_MS);
    return { url: `${way.url}?${query.toString()}`, cookie };
  }

  /** The form of Keystone's page. Leads the browser to the page that goes on. */
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

  /** The token that Keystone has sent to this browser. Throws 401 where it has sent none, and 403 where nobody has begun here. */
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

  /** Once somebody is signed in, whatever way: has the browser forget what it has begun here. Otherwise a further token from Keystone's page would sign him in anew, as whomever it is of. */
  ended(cookies: string | undefined): readonly string[] {
    return [BEGUN_COOKIE, TOKEN_COOKIE].filter((name) => cookieOf(cookies, name) !== undefined).map(endedCookie);
  }
}
