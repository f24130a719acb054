import { invalid } from './problem.ts';

/** Octavia's TLS defaults. */
export const TLS_DEFAULTS = {
  tls_ciphers:
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-SHA256:DHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384:ECDHE-RSA-AES128-SHA256',
  tls_versions: ['TLSv1.2', 'TLSv1.3'],
  alpn_protocols: ['h2', 'http/1.1', 'http/1.0'],
} as const;

export const ALPN_PROTOCOLS = ['h2', 'http/1.1', 'http/1.0'] as const;

const VERSIONS = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const MIN_TLS_VERSION = 'TLSv1.2';

export function checkVersions(versions: readonly string[]): void {
  if (versions.length === 0)
    throw invalid(
      'Empty TLS version list. Either specify at least one TLS version or remove this parameter to use the default.',
    );
  const unknown = versions.filter((version) => !VERSIONS.includes(version));
  if (unknown.length > 0) throw invalid(`Invalid TLS versions: ${unknown.join(', ')}`);
  const old = versions.filter((version) => VERSIONS.indexOf(version) < VERSIONS.indexOf(MIN_TLS_VERSION));
  if (old.length > 0)
    throw invalid(`Requested TLS versions are less than the minimum: ${old.join(', ')} < ${MIN_TLS_VERSION}`);
}

export function checkAlpn(protocols: readonly string[]): void {
  if (protocols.length > 0) return;
  throw invalid(
    'Empty ALPN protocol list. Either specify at least one ALPN protocol or remove this parameter to use the default.',
  );
}
