import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { unauthorized } from '../object/api-error.ts';
import { subjectOf } from '../pki/subject.ts';
import type { TrustStore, TrustVerdict } from '../pki/trust-store.ts';
import { x509 } from '../pki/x509-library.ts';
import type { Authenticator, UserInfo } from './user.ts';
import { CREDENTIAL_ID } from './well-known-users.ts';

interface Remembered {
  readonly trust: TrustStore;
  readonly verdict: TrustVerdict;
  readonly user: UserInfo | undefined;
}

/**
 * Client certificates: common name → user name, organizations → groups. `trust` is asked on every request, so that a
 * rotation takes hold of living connections too; dates are compared on every request, signatures once a connection.
 */
export function createX509Authenticator(trust: () => TrustStore, clock: Clock): Authenticator {
  const remembered = new WeakMap<Uint8Array, Remembered>();
  return {
    authenticate({ clientCertificate }) {
      if (clientCertificate === undefined) return Promise.resolve(undefined);
      let known = remembered.get(clientCertificate);
      if (known?.trust !== trust()) {
        const verdict = trust().verify(clientCertificate, 'client auth');
        known = { trust: trust(), verdict, user: verdict.trusted ? userOf(clientCertificate) : undefined };
        remembered.set(clientCertificate, known);
      }
      const { verdict, user } = known;
      const nowMs = clock.now();
      const isBelieved = verdict.trusted && verdict.notBeforeMs <= nowMs && nowMs <= verdict.notAfterMs;
      return isBelieved ? Promise.resolve(user) : Promise.reject(unauthorized());
    },
  };
}

/** Undefined for a certificate that names nobody. */
function userOf(der: Uint8Array): UserInfo | undefined {
  const { commonName, organizations } = subjectOf(new x509.X509Certificate(Uint8Array.from(der)).subjectName);
  if (commonName === '') return undefined;
  const fingerprint = createHash('sha256').update(der).digest('hex');
  return { username: commonName, groups: organizations, extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] } };
}
