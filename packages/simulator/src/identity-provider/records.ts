/** The identity provider beside the cloud's Keystone, and its names there. */
export const PROVIDER = { id: 'simulated', protocol: 'openid', prefix: '/idp' } as const;

/** The client without a secret: people's command lines. Any user's name and password are a client of their own as well. */
export const PUBLIC_CLIENT = 'fairway';

interface Pending {
  readonly id: string;
  readonly clientId: string;
  readonly scope: string;
  readonly expiresMs: number;
  /** Of PKCE, by S256. */
  readonly challenge: string | null;
  /** Once somebody has signed in. */
  readonly userId: string | null;
}

/** What a browser was given, or what a device waits for. */
export type ProviderGrant =
  | (Pending & { readonly kind: 'code'; readonly redirectUri: string; readonly nonce: string | null })
  | (Pending & {
      readonly kind: 'device';
      readonly userCode: string;
      readonly isDenied: boolean;
      /** Earlier than this is too often. */
      readonly nextPollMs: number;
    });
