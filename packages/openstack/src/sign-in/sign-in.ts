import type { Credential, IdentityRef, Scope } from '../auth/credential.ts';
import type { FederationRef } from '../auth/federation.ts';
import type { TlsFiles } from '../config/cloud-config.ts';

/**
 * The identity that signs in and its Keystone: an entry of clouds.yaml, possibly incomplete if a person can supply the
 * rest.
 */
export interface SignInConfig {
  /** From the entry. */
  readonly cloud: string;
  readonly authUrl: string;
  readonly tls: TlsFiles;
  readonly signIn: SignIn;
}

export type SignIn =
  /** Complete: nothing can be missing. */
  | {
      readonly kind: 'credential';
      readonly credential: Extract<Credential, { kind: 'token' | 'applicationCredential' }>;
    }
  | {
      readonly kind: 'password';
      readonly user: IdentityRef;
      readonly password?: string;
      /** Whether a one-time passcode is sent too; otherwise the person is prompted for one if Keystone requires it. */
      readonly withPasscode: boolean;
      readonly passcode?: string;
      readonly scope: Scope;
    }
  /** Only a one-time passcode. */
  | { readonly kind: 'totp'; readonly user: IdentityRef; readonly passcode?: string; readonly scope: Scope }
  | ({ readonly kind: 'federated'; readonly grant: OidcGrant; readonly scope: Scope } & FederationRef);

/** How an OpenID Connect provider issues a token. */
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
      /** Registered with the provider; an address of this machine, unless a code is given. */
      readonly redirectUri?: string;
      /** A code obtained in a browser elsewhere. */
      readonly code?: string;
    }
  | { readonly kind: 'device'; readonly client: OidcClient; readonly withChallenge: boolean };

/** Keystone's client at the provider, with the option names of keystoneauth. */
export interface OidcClient {
  readonly id: string;
  readonly secret?: string;
  /** Names separated by spaces. */
  readonly scope: string;
  readonly discoveryEndpoint?: string;
  readonly accessTokenEndpoint?: string;
  readonly authorizationEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  /** The provider's token that is sent to Keystone. */
  readonly tokenType: 'access_token' | 'id_token';
}
