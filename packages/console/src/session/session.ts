import { useSyncExternalStore } from 'react';
import { Backoff } from '../api/backoff.ts';
import { Failure } from '../api/failure.ts';
import { pause } from '../api/pause.ts';
import { open, type RequestOptions, request, whenSignedOut } from '../api/request.ts';
import { clusters, pathOf } from '../api/resources.ts';
import { forgetStores, rest, wake } from '../api/stores.ts';
import { type SessionChange, tellOtherTabs } from './other-tabs.ts';

/** A project of the cloud that somebody may work in. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain?: string;
}

/** Who is signed in, as the server says. */
export interface Session {
  readonly kind: 'keystone' | 'token';
  readonly user: string;
  readonly username: string;
  readonly project?: Project;
  /** The namespace of the project; all namespaces without one. */
  readonly namespace?: string;
  /** RFC 3339, by the server's clock. */
  readonly expiresAt: string;
  /** The same by this browser's clock, as Unix time in ms. */
  readonly endsAtMs: number;
}

/** Ways to sign in that the server offers. */
export interface SignInOptions {
  readonly keystone: boolean;
  /** Names of the ways of single sign-on. */
  readonly singleSignOn?: readonly string[];
}

export type SessionState =
  /** With why the server has not said yet who is signed in. */
  | { readonly state: 'asking'; readonly failure?: Failure }
  | {
      readonly state: 'signedOut';
      readonly options: SignInOptions;
      readonly hasLeft: boolean;
      /** Why a single sign-on has come to nothing. */
      readonly failure?: Failure | undefined;
    }
  /** With the sign-in that is shown in front of what is kept: the session has ended, or will end soon. */
  | { readonly state: 'signedIn'; readonly session: Session; readonly again?: SignInAgain };

export interface SignInAgain {
  readonly options: SignInOptions;
  readonly hasEnded: boolean;
}

/** What is sent to sign in. */
export type Credentials =
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly domain: string;
      readonly password: string;
      readonly passcode?: string;
      readonly project?: string;
    }
  | { readonly kind: 'applicationCredential'; readonly id: string; readonly secret: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'singleSignOn'; readonly project?: string };

interface Told {
  readonly session?: Omit<Session, 'endsAtMs'>;
  readonly options: SignInOptions;
}

interface Answer {
  readonly session?: Session;
  readonly options: SignInOptions;
}

const PATH = '/console/session';
const PROJECT_KEY = 'fairway.project';
const listeners = new Set<() => void>();
let current: SessionState = { state: 'asking' };
/** As the server has said last. */
let known: SignInOptions | undefined;

interface SignedOut {
  readonly hasLeft?: boolean;
  readonly failure?: Failure | undefined;
}

function change(next: SessionState): void {
  current = next;
  for (const listener of listeners) listener();
}

/** What the server says of the session. Its clock may be another than the browser's. */
async function askServer(path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await open(path, options);
  const { session, ...answered } = (await response.json()) as Told;
  known = answered.options;
  if (session === undefined) return answered;
  const sentMs = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { ...answered, session: { ...session, endsAtMs: Date.now() + Date.parse(session.expiresAt) - sentMs } };
}

function signedOut(options: SignInOptions, { hasLeft = false, failure }: SignedOut = {}): void {
  forgetStores();
  wake('signedOut');
  change({ state: 'signedOut', options, hasLeft, ...(failure && { failure }) });
}

/** Whoever may read the clusters of all namespaces, an operator, is shown them all: a token alone does not tell. */
async function widened(session: Session): Promise<Session> {
  if (session.kind !== 'token') return session;
  try {
    await request(`${pathOf(clusters, undefined)}?limit=1`);
  } catch (error) {
    if (error instanceof Failure && error.code === 403) return session;
    throw error;
  }
  const { namespace: _, ...ofAll } = session;
  return ofAll;
}

async function signedIn(answered: Session): Promise<void> {
  const goesOn = current.state === 'signedIn' && isSame(current.session, answered);
  if (!goesOn) forgetStores();
  const session = await widened(answered);
  if (session.project !== undefined) localStorage.setItem(PROJECT_KEY, session.project.id);
  change({ state: 'signedIn', session });
  wake('signedOut');
}

/** Whether what is shown, and what is being written, is still the same person's, in the same project. */
function isSame(one: Session, other: Session): boolean {
  return one.username === other.username && one.project?.id === other.project?.id;
}

whenSignedOut(() => {
  // Where the server does not say, the next request asks it again.
  if (current.state === 'signedIn') void askAgain().catch(() => undefined);
});

/** A 401 may be about one request: the session has ended only if the server says so. What is being written is kept. */
export async function askAgain(): Promise<void> {
  if (current.state !== 'signedIn' || current.again?.hasEnded) return;
  const before = current.session;
  const { session, options } = await askServer(PATH);
  if (current.state !== 'signedIn') return;
  if (session !== undefined) {
    // By another tab.
    if (!isSame(before, session) || session.expiresAt !== before.expiresAt) await signedIn(session);
    return;
  }
  rest('signedOut');
  change({ state: 'signedIn', session: before, again: { options, hasEnded: true } });
}

/** Shows the sign-in before the session has ended. */
export function signInEarly(): void {
  if (current.state !== 'signedIn') return;
  change({
    ...current,
    again: { options: known ?? { keystone: current.session.kind === 'keystone' }, hasEnded: false },
  });
}

/** Goes back to what was kept, as long as the session has not ended. */
export function notNow(): void {
  if (current.state === 'signedIn' && current.again?.hasEnded === false)
    change({ state: 'signedIn', session: current.session });
}

/** Another tab has signed in, works in another project now, or has signed out: a browser has one session. */
export async function followOtherTab(change: SessionChange): Promise<void> {
  const { session, options } = await askServer(PATH);
  if (session !== undefined) await signedIn(session);
  else if (change === 'left') signedOut(options, { hasLeft: true });
}

/** Asks until the server says who is signed in: it, or Keystone, may be away when a page is opened. */
export async function askForSession(why?: Failure): Promise<void> {
  const backoff = new Backoff();
  for (;;) {
    try {
      const { session, options } = await askServer(PATH);
      if (session === undefined) signedOut(options, { failure: why });
      else await signedIn(session);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      change({ state: 'asking', failure: error });
      await pause(backoff.nextMs(error.retryAfterMs));
    }
  }
}

/** Rejects with a Failure that says why not; with a cause at `passcode` where one is wanted besides. */
export async function signIn(credentials: Credentials): Promise<void> {
  const kept = current.state === 'signedIn' ? current.session.project?.id : undefined;
  const project = kept ?? localStorage.getItem(PROJECT_KEY) ?? undefined;
  const takesProject = credentials.kind === 'password' || credentials.kind === 'singleSignOn';
  const body = takesProject && project !== undefined ? { ...credentials, project } : credentials;
  const { session, options } = await askServer(PATH, { method: 'POST', body });
  if (session === undefined) signedOut(options);
  else await signedIn(session);
  tellOtherTabs('signedIn');
}

/** Ends the session, and the token with it. */
export async function signOut(): Promise<void> {
  const { options } = await askServer(PATH, { method: 'DELETE' });
  signedOut(options, { hasLeft: true });
  tellOtherTabs('left');
}

export async function projects(): Promise<readonly Project[]> {
  return (await request<{ readonly projects: readonly Project[] }>(`${PATH}/projects`)).projects;
}

/** Goes on in another project. */
export async function switchProject(id: string): Promise<void> {
  const { session, options } = await askServer(`${PATH}/project`, { method: 'PUT', body: { id } });
  if (session === undefined) signedOut(options);
  else await signedIn(session);
  tellOtherTabs('signedIn');
}

/** An application credential of the user's by which Fairway may act in the project; `cloud` and keys as a CloudCredential and its Secret have them. */
export interface Delegation {
  readonly cloud: string;
  readonly id: string;
  readonly secret: string;
}

/** Makes one, under a name that the user has none of yet. */
export function delegate(name: string): Promise<Delegation> {
  return request<Delegation>(`${PATH}/delegation`, { method: 'POST', body: { name } });
}

export function sessionState(): SessionState {
  return current;
}

export function useSessionState(): SessionState {
  return useSyncExternalStore((onChange) => {
    listeners.add(onChange);
    return () => void listeners.delete(onChange);
  }, sessionState);
}

/** Who is signed in; only for what is shown within the shell. */
export function useSession(): Session {
  const state = useSessionState();
  if (state.state !== 'signedIn') throw new Error('nobody is signed in');
  return state.session;
}
