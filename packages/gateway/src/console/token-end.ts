import { decodeJwt, errors } from 'jose';

/** The expiry that a token states, for the cookie only: it is not verified. Undefined if the token does not state it. */
export function tokenEndsAtMs(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
