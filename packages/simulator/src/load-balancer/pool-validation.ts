import type { References } from './certificates.ts';
import { invalid } from './problem.ts';
import { isDatagram } from './protocols.ts';
import type { Pool } from './records.ts';
import { checkAlpn, checkVersions, TLS_DEFAULTS } from './tls.ts';

/** A pool's references to Barbican. */
export function referencesOf({ tls_container_ref, ca_tls_container_ref, crl_container_ref }: Pool): References {
  return { tls: [tls_container_ref], ca: ca_tls_container_ref, crl: crl_container_ref };
}

/** Octavia's rules for a new or updated pool. */
export function checkPool(pool: Pool): void {
  checkPersistence(pool);
  const { ca_tls_container_ref: ca, crl_container_ref: crl } = pool;
  if (crl !== null && ca === null)
    throw invalid('A CA certificate reference is required to specify a revocation list.');
  if (!pool.tls_enabled) return;
  checkVersions(pool.tls_versions ?? TLS_DEFAULTS.tls_versions);
  checkAlpn(pool.alpn_protocols ?? TLS_DEFAULTS.alpn_protocols);
}

/** Excludes control characters and HTTP separators. */
const COOKIE_NAME = /^[!#$%&'*+.0-9A-Z^_`a-z|~\u0080-\u{10ffff}-]+$/u;

function checkPersistence({ protocol, session_persistence: persistence }: Pool): void {
  if (persistence === null) return;
  const { type, cookie_name, persistence_timeout, persistence_granularity } = persistence;
  if (isDatagram(protocol)) {
    if (cookie_name !== null) {
      throw invalid(
        type === 'SOURCE_IP'
          ? 'session_persistence SOURCE_IP type for UDP and SCTP protocols only accepts: type, persistence_timeout, persistence_granularity.'
          : 'Cookie names are not supported for UDP/SCTP pools.',
      );
    }
    if (type !== 'SOURCE_IP')
      throw invalid(`Session persistence of type ${type} is not supported for UDP/SCTP protocol pools.`);
    return;
  }
  if (persistence_timeout !== null || persistence_granularity !== null)
    throw invalid('persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.');
  if (cookie_name !== null) {
    if (type !== 'APP_COOKIE')
      throw invalid('Field "cookie_name" can only be specified with session persistence of type "APP_COOKIE".');
    if (!COOKIE_NAME.test(cookie_name)) throw invalid('Supplied "cookie_name" is invalid.');
  }
  if (type === 'APP_COOKIE' && cookie_name === null)
    throw invalid('Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.');
}
