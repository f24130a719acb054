import type { Credentials } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import { unauthorized } from '@fairway/kube/object/api-error';
import { claimsToBeOwnPage, isOwnPage } from './console-origin.ts';
import { type ConsoleSession, seal, unseal } from './sealed-session.ts';
import { sealedSessionOf, sessionCookie } from './session-cookie.ts';
import type { SessionKeyManager } from './session-key-manager.ts';
import { MAX_SESSION_MS } from './session-keys.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Browser sessions. Only browsers store them; any replica can open them. */
export class ConsoleSessions {
  readonly #keys: Pick<SessionKeyManager, 'get'>;
  readonly #clock: Clock;

  constructor(keys: Pick<SessionKeyManager, 'get'>, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** The session of a request from a console page. */
  async of(headers: Headers): Promise<ConsoleSession | undefined> {
    if (!isOwnPage(headers)) return undefined;
    const sealed = sealedSessionOf(headers['cookie']);
    return sealed === undefined ? undefined : unseal(sealed, await this.#keys.get(), this.#clock.now());
  }

  /**
   * The credentials of an API request from a console page: only the session's token, not even the browser's
   * client certificate. Undefined for all other requests, which have their own credentials; their cookies are ignored.
   * Throws 401 if there is no session, or another site sent the request.
   */
  readonly credentialsOf = async (headers: Headers): Promise<Pick<Credentials, 'bearerToken'> | undefined> => {
    if (headers['authorization'] !== undefined || !claimsToBeOwnPage(headers)) return undefined;
    const session = await this.of(headers);
    if (session === undefined) throw unauthorized();
    return { bearerToken: session.token };
  };

  /** The cookie of a new session. */
  async cookieOf(
    session: Omit<ConsoleSession, 'endsAtMs'>,
    tokenEndsAtMs: number | undefined,
  ): Promise<{ readonly cookie: string; readonly session: ConsoleSession }> {
    const nowMs = this.#clock.now();
    const endsAtMs = Math.min(nowMs + MAX_SESSION_MS, tokenEndsAtMs ?? Number.POSITIVE_INFINITY);
    const endingSession = { ...session, endsAtMs };
    return {
      cookie: sessionCookie(await seal(endingSession, await this.#keys.get()), endsAtMs - nowMs),
      session: endingSession,
    };
  }
}
