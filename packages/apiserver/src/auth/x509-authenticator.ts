import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { unauthorized } from '@fairway/kube/object/api-error';
import { subjectOf } from '@fairway/kube/pki/subject';
import type { TrustResult, TrustStore } from '@fairway/kube/pki/trust-store';
import { x509 } from '@fairway/kube/pki/x509-library';
import type { Authenticator, UserInfo } from './user.ts';
import { CREDENTIAL_ID } from './well-known-users.ts';

interface CachedCertificate {
  readonly trust: TrustStore;
  readonly result: TrustResult;
  readonly user: UserInfo | undefined;
}

/**
 * Size of the cache of verified certificates, which makes new connections cheap; the least recently used entry is
 * evicted.
 */
const MAX_CACHE_ENTRIES = 512;

/**
 * Client certificates: common name → user name, organizations → groups. `trust` is called on every request, so a
 * rotation also takes effect on open connections. Dates are checked on every request, signatures once per certificate.
 */
export function createX509Authenticator(trust: () => TrustStore, clock: Clock): Authenticator {
  const resultsByConnection = new WeakMap<Uint8Array, CachedCertificate>();
  const resultsByFingerprint = new RecentMap<CachedCertificate>(MAX_CACHE_ENTRIES);
  return {
    authenticate({ clientCertificate }) {
      if (clientCertificate === undefined) return Promise.resolve(undefined);
      let known = resultsByConnection.get(clientCertificate);
      if (known?.trust !== trust()) {
        known = lookUp(clientCertificate, trust(), resultsByFingerprint);
        resultsByConnection.set(clientCertificate, known);
      }
      const { result, user } = known;
      const nowMs = clock.now();
      const isTrusted = result.trusted && result.notBeforeMs <= nowMs && nowMs <= result.notAfterMs;
      return isTrusted ? Promise.resolve(user) : Promise.reject(unauthorized());
    },
  };
}

function lookUp(
  der: Uint8Array,
  trust: TrustStore,
  resultsByFingerprint: RecentMap<CachedCertificate>,
): CachedCertificate {
  const fingerprint = createHash('sha256').update(der).digest('hex');
  const known = resultsByFingerprint.get(fingerprint);
  if (known?.trust === trust) return known;
  const result = trust.verify(der, 'client auth');
  const cachedCertificate = { trust, result, user: result.trusted ? userOf(der, fingerprint) : undefined };
  // Only valid certificates are cached, so that made-up certificates can't evict them.
  if (result.trusted) resultsByFingerprint.set(fingerprint, cachedCertificate);
  return cachedCertificate;
}

/** Undefined for a certificate without a common name. */
function userOf(der: Uint8Array, fingerprint: string): UserInfo | undefined {
  const { commonName, organizations } = subjectOf(new x509.X509Certificate(Uint8Array.from(der)).subjectName);
  if (commonName === '') return undefined;
  return { username: commonName, groups: organizations, extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] } };
}
