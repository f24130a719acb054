import type { JWK } from 'jose';
import type { ServiceAccountKeys } from '../pki/service-account-keys.ts';

/** Where the API server publishes who signs its service-account tokens. */
export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const JWKS_PATH = '/openid/v1/jwks';

/** `/.well-known/openid-configuration`. `jwksUri` is the public URL of `JWKS_PATH`. */
export function openidConfiguration(issuer: string, jwksUri: string, keys: ServiceAccountKeys): object {
  return {
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.verification.map((key) => key.algorithm))],
  };
}

/** `/openid/v1/jwks`: all keys that tokens are verified with, to be sent as `application/jwk-set+json`. */
export function jsonWebKeySet(keys: ServiceAccountKeys): { keys: JWK[] } {
  return { keys: keys.verification.map((key) => key.jwk) };
}
