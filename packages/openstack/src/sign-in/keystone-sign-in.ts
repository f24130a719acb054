import { authenticate } from '../auth/authenticate.ts';
import type { Credential } from '../auth/credential.ts';
import { createApplicationCredential, projectsFor, revoke } from '../auth/own-token.ts';
import type { IssuedToken } from '../auth/token-source.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { ApplicationCredentialCreate, Project } from '../types/identity.ts';

/** Keystone for people who sign in, each with their own credential. All methods reject with an OpenStackError. */
export interface KeystoneSignIn {
  /** Rejects with a FactorsRequiredError if Keystone requires more factors. */
  signIn(credential: Credential): Promise<IssuedToken>;
  /** The projects for which the token's user can get a token. */
  projects(token: string): Promise<readonly Project[]>;
  revoke(token: string): Promise<void>;
  /** An application credential of the token's user, for the token's project. */
  delegate(
    by: { readonly token: string; readonly userId: string },
    credential: ApplicationCredentialCreate,
  ): Promise<{ readonly id: string; readonly secret: string }>;
}

export function keystoneSignIn(http: HttpClient, authUrl: string): KeystoneSignIn {
  return {
    signIn: (credential) => authenticate(http, authUrl, credential),
    projects: (token) => projectsFor(http, authUrl, token),
    revoke: (token) => revoke(http, authUrl, token),
    delegate: (by, credential) => createApplicationCredential(http, authUrl, by, credential),
  };
}
