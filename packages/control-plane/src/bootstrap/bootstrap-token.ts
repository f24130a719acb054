import { BOOTSTRAP_TOKEN_NAMESPACE, BOOTSTRAP_TOKEN_TYPE } from '@fairway/apiserver/auth/bootstrap-tokens';
import { formatTime } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';

/** Group of Fairway nodes that are about to join; RBAC only lets it create certificate signing requests. */
export const NODE_BOOTSTRAPPERS_GROUP = 'system:bootstrappers:fairway:nodes';
/** Label of token Secrets: the Machine that uses the token. */
const TOKEN_MACHINE_LABEL = 'fairway.dev/machine';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;

/** A bootstrap token, which authenticates a new node's first certificate signing request. */
export interface BootstrapToken {
  /** The public part; the Secret's name contains it. */
  readonly id: string;
  readonly secret: string;
  readonly expirationMs: number;
}

/** Creates a token; `randomBytes` must be cryptographically secure. */
export function createBootstrapToken(randomBytes: (size: number) => Uint8Array, expirationMs: number): BootstrapToken {
  return { id: randomText(randomBytes, ID_LENGTH), secret: randomText(randomBytes, SECRET_LENGTH), expirationMs };
}

/** The token as sent on the wire: `id.secret`. */
export function tokenText({ id, secret }: BootstrapToken): string {
  return `${id}.${secret}`;
}

/** The token's Secret in the tenant's cluster. One token per machine, so that a stolen token identifies its machine. */
export function bootstrapTokenSecret(token: BootstrapToken, machineName: string): Secret {
  const data = {
    'token-id': token.id,
    'token-secret': token.secret,
    expiration: formatTime(token.expirationMs),
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': NODE_BOOTSTRAPPERS_GROUP,
    description: `Lets machine ${machineName} request its kubelet certificate.`,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `bootstrap-token-${token.id}`,
      namespace: BOOTSTRAP_TOKEN_NAMESPACE,
      labels: { [TOKEN_MACHINE_LABEL]: machineName },
    },
    type: BOOTSTRAP_TOKEN_TYPE,
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
    ),
  };
}

/**
 * Draws each character with equal probability: bytes that would bias the result towards the first characters are
 * rejected and drawn again.
 */
function randomText(randomBytes: (size: number) => Uint8Array, length: number): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < limit) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}
