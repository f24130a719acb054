/** Names of the identity provider in the cloud's Keystone. */
export const PROVIDER = { id: 'simulated', protocol: 'openid', prefix: '/idp' } as const;

/** The public client, for command lines. In addition, each user's name and password form a client. */
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

/** A grant: a browser's code, or a device's pending authorization. */
export type ProviderGrant =
  | (PendingGrant & { readonly kind: 'code'; readonly redirectUri: string; readonly nonce: string | null })
  | (PendingGrant & {
      readonly kind: 'device';
      readonly userCode: string;
      readonly isDenied: boolean;
      /** Polls before this time are too frequent. */
      readonly nextPollMs: number;
    });
