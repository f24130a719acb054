/** A user, project or domain by id, or by name with its domain (a domain has none). */
export interface IdentityRef {
  readonly id?: string;
  readonly name?: string;
  readonly domain?: { readonly id?: string; readonly name?: string };
}

/** What a token shall be good for. */
export type Scope =
  | { readonly kind: 'project'; readonly project: IdentityRef }
  | { readonly kind: 'domain'; readonly domain: IdentityRef }
  | { readonly kind: 'system' }
  /** What the trustor gave the trustee, who authenticates. */
  | { readonly kind: 'trust'; readonly trustId: string }
  /** The user's default project, or none. */
  | { readonly kind: 'default' };

/** How to prove to Keystone who one is. */
export type Credential =
  | { readonly kind: 'password'; readonly user: IdentityRef; readonly password: string; readonly scope: Scope }
  | { readonly kind: 'token'; readonly token: string; readonly scope: Scope }
  /** Carries its project; a name is unique for a user only. */
  | {
      readonly kind: 'applicationCredential';
      readonly id?: string;
      readonly name?: string;
      readonly user?: IdentityRef;
      readonly secret: string;
    };
