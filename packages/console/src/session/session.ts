import { useSyncExternalStore } from 'react';
import { Backoff } from '../api/backoff.ts';
import { Failure } from '../api/failure.ts';
import { pause } from '../api/pause.ts';
import { onSignOut, open, type RequestOptions, request } from '../api/request.ts';
import { clusters, pathOf } from '../api/resources.ts';
import { serverClock } from '../api/server-clock.ts';
import { clearStores, resume, suspend } from '../api/stores.ts';
import { forgetDrafts } from './drafts.ts';
import { notifyOtherTabs, type SessionChange } from './other-tabs.ts';

/** A project in the cloud that the user may work in. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain?: string;
}

/** The signed-in user, as reported by the server. */
export interface Session {
  readonly kind: 'keystone' | 'token';
  readonly user: string;
  readonly username: string;
  readonly project?: Project;
  /** The namespace of the project; all namespaces if there is no project. */
  readonly namespace?: string;
  /** RFC 3339, by the server's clock. */
  readonly expiresAt: string;
  /** The same time by this browser's clock, as Unix time in ms. */
  readonly endsAtMs: number;
}

/** Sign-in methods that the server supports. */
export interface SignInOptions {
  readonly keystone: boolean;
  /** Names of the single sign-on methods. */
  readonly singleSignOn?: readonly string[];
}

export type SessionState =
  /** Includes the reason why the server has not reported the session yet. */
  | { readonly state: 'asking'; readonly failure?: Failure }
  | {
      readonly state: 'signedOut';
      readonly options: SignInOptions;
      readonly hasLeft: boolean;
      /** Why a single sign-on failed. */
      readonly failure?: Failure | undefined;
    }
  /** Includes the sign-in form that covers the page if the session has ended or is about to. */
  | { readonly state: 'signedIn'; readonly session: Session; readonly reauthentication?: Reauthentication };

export interface Reauthentication {
  readonly options: SignInOptions;
  readonly hasEnded: boolean;
}

/** The body of a sign-in request. */
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

interface SessionResponse {
  readonly documentation?: string;
  readonly session?: Omit<Session, 'endsAtMs'>;
  readonly options: SignInOptions;
}

interface SessionStatus {
  readonly session?: Session;
  readonly options: SignInOptions;
}

const PATH = '/console/session';
const PROJECT_KEY = 'fairway.project';
const listeners = new Set<() => void>();
let current: SessionState = { state: 'asking' };
/** As last reported by the server. */
let known: SignInOptions | undefined;
/** The URL template of the documentation, as last reported by the server. */
let documentation: string | undefined;

interface SignedOutDetails {
  readonly hasLeft?: boolean;
  readonly failure?: Failure | undefined;
}

function change(next: SessionState): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Requests the session. The server's clock may differ from the browser's. */
async function requestSession(path: string, options: RequestOptions = {}): Promise<SessionStatus> {
  const response = await open(path, options);
  const { session, documentation: documentationUrl, ...received } = (await response.json()) as SessionResponse;
  known = received.options;
  documentation = documentationUrl;
  if (session === undefined) return received;
  return {
    ...received,
    session: { ...session, endsAtMs: Date.now() + Date.parse(session.expiresAt) - serverClock.nowMs() },
  };
}

function endSession(options: SignInOptions, { hasLeft = false, failure }: SignedOutDetails = {}): void {
  clearStores();
  forgetDrafts();
  resume('signedOut');
  change({ state: 'signedOut', options, hasLeft, ...(failure && { failure }) });
}

/** Operators may read clusters in all namespaces, so they see all of them; the token alone does not reveal that. */
async function withClusterScope(session: Session): Promise<Session> {
  if (session.kind !== 'token') return session;
  try {
    await request(`${pathOf(clusters, undefined)}?limit=1`);
  } catch (error) {
    if (error instanceof Failure && error.code === 403) return session;
    throw error;
  }
  const { namespace: _, ...clusterWideSession } = session;
  return clusterWideSession;
}

async function acceptSession(received: Session): Promise<void> {
  const isSameSession = current.state === 'signedIn' && isSame(current.session, received);
  if (!isSameSession) {
    clearStores();
    forgetDrafts();
  }
  const session = await withClusterScope(received);
  if (session.project !== undefined) localStorage.setItem(PROJECT_KEY, session.project.id);
  change({ state: 'signedIn', session });
  resume('signedOut');
}

/** Whether the displayed data and unsaved input still belong to the same user in the same project. */
function isSame(one: Session, other: Session): boolean {
  return one.username === other.username && one.project?.id === other.project?.id;
}

onSignOut(() => {
  // If the server does not respond, the next request checks again.
  if (current.state === 'signedIn') void recheckSession().catch(() => undefined);
});

/** A 401 may concern a single request: only the server knows whether the session has ended. Unsaved input is kept. */
export async function recheckSession(): Promise<void> {
  if (current.state !== 'signedIn' || current.reauthentication?.hasEnded) return;
  const previousSession = current.session;
  const { session, options } = await requestSession(PATH);
  if (current.state !== 'signedIn') return;
  if (session !== undefined) {
    // Another tab has changed the session.
    if (!isSame(previousSession, session) || session.expiresAt !== previousSession.expiresAt)
      await acceptSession(session);
    return;
  }
  suspend('signedOut');
  change({ state: 'signedIn', session: previousSession, reauthentication: { options, hasEnded: true } });
}

/** Displays the sign-in form before the session has ended. */
export function showSignIn(): void {
  if (current.state !== 'signedIn') return;
  change({
    ...current,
    reauthentication: { options: known ?? { keystone: current.session.kind === 'keystone' }, hasEnded: false },
  });
}

/** Returns to the page, unless the session has ended. */
export function dismissSignIn(): void {
  if (current.state === 'signedIn' && current.reauthentication?.hasEnded === false)
    change({ state: 'signedIn', session: current.session });
}

/** Follows another tab that has signed in, switched projects or signed out: a browser has one session. */
export async function followOtherTab(change: SessionChange): Promise<void> {
  const { session, options } = await requestSession(PATH);
  if (session !== undefined) await acceptSession(session);
  else if (change === 'left') endSession(options, { hasLeft: true });
}

/** Retries until the server reports the session: either it or Keystone may be unreachable when a page is opened. */
export async function loadSession(cause?: Failure): Promise<void> {
  const backoff = new Backoff();
  for (;;) {
    try {
      const { session, options } = await requestSession(PATH);
      if (session === undefined) endSession(options, { failure: cause });
      else await acceptSession(session);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      change({ state: 'asking', failure: error });
      await pause(backoff.nextMs(error.retryAfterMs));
    }
  }
}

/** Rejects with a Failure, with a cause for `passcode` if a passcode is also required. */
export async function signIn(credentials: Credentials): Promise<void> {
  const currentProjectID = current.state === 'signedIn' ? current.session.project?.id : undefined;
  const project = currentProjectID ?? localStorage.getItem(PROJECT_KEY) ?? undefined;
  const acceptsProject = credentials.kind === 'password' || credentials.kind === 'singleSignOn';
  const body = acceptsProject && project !== undefined ? { ...credentials, project } : credentials;
  const { session, options } = await requestSession(PATH, { method: 'POST', body });
  if (session === undefined) endSession(options);
  else await acceptSession(session);
  notifyOtherTabs('signedIn');
}

/** Ends the session and revokes its token. */
export async function signOut(): Promise<void> {
  const { options } = await requestSession(PATH, { method: 'DELETE' });
  endSession(options, { hasLeft: true });
  notifyOtherTabs('left');
}

export async function projects(): Promise<readonly Project[]> {
  return (await request<{ readonly projects: readonly Project[] }>(`${PATH}/projects`)).projects;
}

/** Switches to another project. */
export async function switchProject(id: string): Promise<void> {
  const { session, options } = await requestSession(`${PATH}/project`, { method: 'PUT', body: { id } });
  if (session === undefined) endSession(options);
  else await acceptSession(session);
  notifyOtherTabs('signedIn');
}

/**
 * An application credential of the user that lets Fairway act in the project; fields as in a CloudCredential and its
 * Secret.
 */
export interface Delegation {
  readonly cloud: string;
  readonly id: string;
  readonly secret: string;
}

/** Creates a credential under a name that the user does not use yet. */
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

/** The URL of a documentation page, with `{page}` for its path; undefined if the operator has not set it. */
export function useDocumentation(): string | undefined {
  useSessionState();
  return documentation;
}

/** The session; only for components within the shell. */
export function useSession(): Session {
  const state = useSessionState();
  if (state.state !== 'signedIn') throw new Error('nobody is signed in');
  return state.session;
}
