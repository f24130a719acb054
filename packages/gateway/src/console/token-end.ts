import { decodeJwt, errors } from 'jose';

/** When a token says that it ends: for the cookie's sake, as nothing is believed by it. Undefined for one that does not say. */
export function tokenEndsAtMs(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
