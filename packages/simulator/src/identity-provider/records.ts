/** The identity provider's names in the cloud's Keystone, and its path. */
export const PROVIDER = { id: 'simulated', protocol: 'openid', prefix: '/idp' } as const;

/** The public client, for command lines. In addition, each user's name and password are valid client credentials. */
export const PUBLIC_CLIENT = 'fairway';

interface PendingGrant {
  readonly id: string;
  readonly clientId: string;
  readonly scope: string;
  readonly expiresMs: number;
  /** PKCE challenge with S256. */
  readonly challenge: string | null;
  /** Set after sign-in. */
  readonly userId: string | null;
}

/** A grant: a code for a browser, or the pending authorization of a device. */
export type ProviderGrant =
  | (PendingGrant & { readonly kind: 'code'; readonly redirectUri: string; readonly nonce: string | null })
  | (PendingGrant & {
      readonly kind: 'device';
      readonly userCode: string;
      readonly isDenied: boolean;
      /** Polls before this time are rejected as too frequent. */
      readonly nextPollMs: number;
    });
