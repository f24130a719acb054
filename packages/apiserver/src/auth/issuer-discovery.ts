import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import type { JWK } from 'jose';
import type { Route } from '../server/routes.ts';

/** The API server's service account issuer discovery. */
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

/** `/openid/v1/jwks`: all verification keys, served as `application/jwk-set+json`. */
export function jsonWebKeySet(keys: ServiceAccountKeys): { keys: JWK[] } {
  return { keys: keys.verification.map((key) => key.jwk) };
}

/** Both documents as routes of the API server, for subjects bound to `system:service-account-issuer-discovery`. */
export function issuerRoutes(issuer: string, publicUrl: string, keys: ServiceAccountKeys): Route[] {
  const document = (path: string, contentType: string, body: object): Route => ({
    path,
    handle: () => ({
      status: 200,
      headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
      body: JSON.stringify(body),
    }),
  });
  const configuration = openidConfiguration(issuer, `${publicUrl}${JWKS_PATH}`, keys);
  return [
    document(OPENID_CONFIGURATION_PATH, 'application/json', configuration),
    document(JWKS_PATH, 'application/jwk-set+json', jsonWebKeySet(keys)),
  ];
}
