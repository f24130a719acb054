import type { Credential, IdentityRef, Scope } from '../auth/credential.ts';
import type { FederationRef } from '../auth/federation.ts';
import type { TlsFiles } from '../config/cloud-config.ts';

/** Who signs in to which Keystone: an entry of clouds.yaml, of which parts may be missing that a person knows. */
export interface SignInConfig {
  /** Of the entry. */
  readonly cloud: string;
  readonly authUrl: string;
  readonly tls: TlsFiles;
  readonly signIn: SignIn;
}

export type SignIn =
  /** Nothing is missing, and nothing can be. */
  | {
      readonly kind: 'credential';
      readonly credential: Extract<Credential, { kind: 'token' | 'applicationCredential' }>;
    }
  | {
      readonly kind: 'password';
      readonly user: IdentityRef;
      readonly password?: string;
      /** Whether a one-time passcode is sent along; without it one is asked for when Keystone wants it. */
      readonly withPasscode: boolean;
      readonly passcode?: string;
      readonly scope: Scope;
    }
  /** A one-time passcode alone. */
  | { readonly kind: 'totp'; readonly user: IdentityRef; readonly passcode?: string; readonly scope: Scope }
  | ({ readonly kind: 'federated'; readonly grant: OidcGrant; readonly scope: Scope } & FederationRef);

/** How an OpenID Connect provider is brought to issue a token. */
export type OidcGrant =
  | { readonly kind: 'accessToken'; readonly accessToken: string }
  | { readonly kind: 'clientCredentials'; readonly client: OidcClient }
  | {
      readonly kind: 'password';
      readonly client: OidcClient;
      readonly username: string;
      readonly password?: string;
    }
  | {
      readonly kind: 'authorizationCode';
      readonly client: OidcClient;
      /** Registered with the provider; one of this machine's own addresses, unless there is a code. */
      readonly redirectUri?: string;
      /** What a browser was given elsewhere. */
      readonly code?: string;
    }
  | { readonly kind: 'device'; readonly client: OidcClient; readonly withChallenge: boolean };

/** Keystone's client at the provider, under the names that keystoneauth has for its options. */
export interface OidcClient {
  readonly id: string;
  readonly secret?: string;
  /** Names separated by blanks. */
  readonly scope: string;
  readonly discoveryEndpoint?: string;
  readonly accessTokenEndpoint?: string;
  readonly authorizationEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  /** Which of the provider's tokens Keystone is shown. */
  readonly tokenType: 'access_token' | 'id_token';
}
