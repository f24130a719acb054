import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';

export interface IssuedClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  /** In seconds since the epoch, like `iat`. */
  readonly exp: number;
  readonly iat: number;
  readonly [claim: string]: unknown;
}

/** The identity provider's key, generated on first use. Its signatures are valid only while the process runs. */
export class ProviderKey {
  #keyPair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;

  /** A JWT signed with ES256. */
  sign(claims: IssuedClaims): string {
    const body = [{ alg: 'ES256', typ: 'JWT', kid: 'simulated' }, claims].map(encoded).join('.');
    const signature = sign('sha256', Buffer.from(body), { key: this.#keys().privateKey, dsaEncoding: 'ieee-p1363' });
    return `${body}.${signature.toString('base64url')}`;
  }

  /** The user of a token; undefined if the token is forged or expired. */
  subject(token: string, nowMs: number): string | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const key = { key: this.#keys().publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const text = Buffer.from(`${header}.${payload}`);
    if (!verify('sha256', text, key, Buffer.from(signature, 'base64url'))) return undefined;
    const { sub, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as IssuedClaims;
    return exp * 1000 > nowMs ? sub : undefined;
  }

  get jwks(): object {
    const jwk = createPublicKey(this.#keys().publicKey).export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: 'simulated', use: 'sig', alg: 'ES256' }] };
  }

  #keys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
    this.#keyPair ??= generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return this.#keyPair;
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
