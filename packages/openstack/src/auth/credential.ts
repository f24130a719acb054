/** A user, project or domain by id, or by name together with its domain (except for domains). */
export interface IdentityRef {
  readonly id?: string;
  readonly name?: string;
  readonly domain?: { readonly id?: string; readonly name?: string };
}

/** The scope of a token. */
export type Scope =
  | { readonly kind: 'project'; readonly project: IdentityRef }
  | { readonly kind: 'domain'; readonly domain: IdentityRef }
  | { readonly kind: 'system' }
  /** A trust; the trustee authenticates. */
  | { readonly kind: 'trust'; readonly trustId: string }
  /** The user's default project, if there is one. */
  | { readonly kind: 'default' };

/** How to authenticate to Keystone. */
export type Credential =
  | {
      readonly kind: 'password';
      readonly user: IdentityRef;
      readonly password: string;
      /** Adds a time-based one-time passcode. */
      readonly passcode?: string;
      readonly scope: Scope;
    }
  | {
      readonly kind: 'totp';
      readonly user: IdentityRef;
      readonly passcode: string;
      /** Keystone's receipt for the factors accepted so far. */
      readonly receipt?: string;
      readonly scope: Scope;
    }
  | { readonly kind: 'token'; readonly token: string; readonly scope: Scope }
  /** Implies its project; names are unique per user. */
  | {
      readonly kind: 'applicationCredential';
      readonly id?: string;
      readonly name?: string;
      readonly user?: IdentityRef;
      readonly secret: string;
    };
