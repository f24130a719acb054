import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { askForSession, signIn } from './session.ts';

const KEY = 'fairway.sso';
/** Where Keystone's page leads to, and whence the browser is led to Keystone: only after a press on this site, which leaves a note. */
export const SINGLE_SIGN_ON_PATH = '/console/sso';
/** The page that is pressed on is left at once. */
const FRESH_MS = 30_000;

interface Note {
  /** Where to go on afterwards. */
  readonly to: string;
  /** Of the way that is to be begun. */
  readonly name?: string;
  readonly atMs: number;
}

/** To be called when a link to `SINGLE_SIGN_ON_PATH` is pressed. */
export function noteSingleSignOn(name: string): void {
  const note: Note = { name, to: location.pathname + location.search, atMs: Date.now() };
  localStorage.setItem(KEY, JSON.stringify(note));
}

/** Leads to Keystone after a press, or takes what Keystone has sent; then the console goes on where it was. */
export async function passSingleSignOn(): Promise<void> {
  const { name, to = '/console/', atMs = 0 } = noted() ?? {};
  try {
    if (name !== undefined && Date.now() - atMs < FRESH_MS) {
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
    await askForSession(error instanceof Failure ? error : new Failure(0, String(error)));
  }
}

function noted(): Note | undefined {
  const text = localStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as Note);
}
