/** Go's message for an expired context. */
export const DEADLINE_EXCEEDED = 'context deadline exceeded';

/** A server could not be reached. The messages are those of Go's net, crypto/tls and net/http where available. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

const SYSTEM_CALLS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
};

const UNKNOWN_AUTHORITY = 'certificate signed by unknown authority';
const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'certificate has expired or is not yet valid',
};

/** The error of a socket connecting to `address`. */
export function outboundErrorOf(
  error: NodeJS.ErrnoException,
  address: string,
  {
    host,
    port,
    serverName = host,
  }: { readonly host: string; readonly port: number; readonly serverName?: string | undefined },
): OutboundError {
  const { code = '', message } = error;
  const target = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const call = SYSTEM_CALLS[code];
  if (call !== undefined) return new OutboundError(`dial tcp ${target}: connect: ${call}`, { cause: error });
  const problem =
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? `certificate is not valid for ${serverName}` : CERTIFICATE_ERRORS[code];
  if (problem !== undefined) {
    return new OutboundError(`tls: failed to verify certificate: x509: ${problem}`, { cause: error });
  }
  return new OutboundError(code === 'ECONNRESET' ? 'EOF' : message, { cause: error });
}
