import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { loadSession, signIn } from './session.ts';

const KEY = 'fairway.sso';
/**
 * Keystone redirects back here, and this page redirects the browser to Keystone. It does so only after a click on this
 * site, which leaves a marker in storage.
 */
export const SINGLE_SIGN_ON_PATH = '/console/sso';
/** The click navigates away from the page immediately. */
const NOTE_MAX_AGE_MS = 30_000;

interface SignInNote {
  /** Where the console continues afterwards. */
  readonly to: string;
  /** Name of the single sign-on method. */
  readonly name?: string;
  readonly atMs: number;
}

/** Must be called when a link to `SINGLE_SIGN_ON_PATH` is clicked. */
export function recordSingleSignOn(name: string): void {
  const note: SignInNote = { name, to: location.pathname + location.search, atMs: Date.now() };
  localStorage.setItem(KEY, JSON.stringify(note));
}

/**
 * Redirects to Keystone after a click, or accepts Keystone's response; then the user returns to the page that they
 * left.
 */
export async function continueSingleSignOn(): Promise<void> {
  const { name, to = '/console/', atMs = 0 } = storedNote() ?? {};
  try {
    if (name !== undefined && Date.now() - atMs < NOTE_MAX_AGE_MS) {
      localStorage.setItem(KEY, JSON.stringify({ to, atMs }));
      const { url } = await request<{ readonly url: string }>('/console/session/single-sign-on', {
        method: 'POST',
        body: { name },
      });
      return location.replace(url);
    }
    localStorage.removeItem(KEY);
    await signIn({ kind: 'singleSignOn' });
    history.replaceState(null, '', to);
  } catch (error) {
    history.replaceState(null, '', to);
    await loadSession(error instanceof Failure ? error : new Failure(0, String(error)));
  }
}

function storedNote(): SignInNote | undefined {
  const text = localStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as SignInNote);
}
