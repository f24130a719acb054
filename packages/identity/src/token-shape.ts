/**
 * Maximum length of a token. Tokens are sent in headers, and servers accept 8 to 16 KiB of them; Keystone tokens are
 * 200 to 400 characters long, and longer with a federated user's groups.
 */
const MAX_TOKEN_CHARACTERS = 4_096;

/** The version byte 0x80 and the high zero bytes of a timestamp, in base64. */
const FERNET = /^gAAAAA[A-Za-z0-9_-]{40,}={0,2}$/;
const JWS = /^[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+$/;

/**
 * Whether a bearer token can be a Keystone token, Fernet or JWS. Other tokens, such as service account tokens or
 * bootstrap tokens, are never sent to Keystone: otherwise each of a cluster's own clients would cost a call
 * (cloud-provider-openstack#1318).
 */
export function isKeystoneShaped(token: string): boolean {
  if (token.length > MAX_TOKEN_CHARACTERS) return false;
  return FERNET.test(token) || isKeystoneJws(token);
}

/** The claim with authentication methods is specific to Keystone; Kubernetes JWTs have an issuer. */
function isKeystoneJws(token: string): boolean {
  const [, payload] = JWS.exec(token) ?? [];
  if (payload === undefined) return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null && 'openstack_methods' in claims && !('iss' in claims);
  } catch {
    return false;
  }
}
