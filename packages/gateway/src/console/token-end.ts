import { decodeJwt, errors } from 'jose';

/** The expiry in a token, for the cookie only: the token is not verified. Undefined if the token has no expiry. */
export function tokenEndsAtMs(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
