import { X509Certificate } from 'node:crypto';
import { FakeClock } from '@fairway/base/clock-fake';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  loadCertificateAuthority,
} from './certificate-authority.ts';
import { certificateInfo, joinPemBundles, splitPemBundle } from './certificate-info.ts';
import { signCertificate } from './certificate-signing.ts';
import { issueCertificate } from './issue-certificate.ts';
import { generateKeyPair, privateKeyFromPem } from './key-pair.ts';
import { PkiError } from './pki-error.ts';
import { nameOf } from './subject.ts';
import { TrustStore } from './trust-store.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const clock = new FakeClock(Date.UTC(2026, 5, 1, 12, 0, 0));
let authority: CertificateAuthority;
let otherAuthority: CertificateAuthority;

beforeAll(async () => {
  authority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 10 * YEAR_MS });
  otherAuthority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 10 * YEAR_MS });
});

function der(pem: string): Uint8Array {
  return new X509Certificate(pem).raw;
}

describe('issueCertificate', () => {
  test('sets subject, usages and validity, backdated by five minutes', async () => {
    const issued = await issueCertificate(authority, {
      commonName: 'alice, the "first"+CN=root',
      organizations: ['team-a', '#0500'],
      dnsNames: ['api.example.org', '*.example.org'],
      ipAddresses: ['10.0.0.1', '2001:db8::1'],
      usages: 'both',
      validityMs: HOUR_MS,
      clock,
    });

    expect(certificateInfo(issued.certificatePem)).toMatchObject({
      commonName: 'alice, the "first"+CN=root',
      organizations: ['team-a', '#0500'],
      dnsNames: ['api.example.org', '*.example.org'],
      ipAddresses: ['10.0.0.1', '2001:db8::1'],
      issuer: { commonName: 'kubernetes', organizations: [] },
      isAuthority: false,
      usages: ['digital signature', 'key encipherment', 'server auth', 'client auth'],
      notBeforeMs: clock.now() - 5 * 60_000,
      notAfterMs: clock.now() + HOUR_MS,
    });
    expect(issued.privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  });

  test('never issues a certificate that outlives its CA, and refuses an expired CA', async () => {
    const short = await createCertificateAuthority({ commonName: 'short', clock, validityMs: HOUR_MS });
    const options = { commonName: 'a', usages: 'client', validityMs: YEAR_MS, clock } as const;
    expect((await issueCertificate(short, options)).notAfterMs).toBe(clock.now() + HOUR_MS);

    const later = new FakeClock(clock.now() + HOUR_MS + 1000);
    await expect(issueCertificate(short, { ...options, clock: later })).rejects.toThrow(PkiError);
  });

  test('certifies a given public key without returning a private key', async () => {
    const keys = await generateKeyPair();
    const issued = await issueCertificate(authority, {
      commonName: 'a',
      usages: 'client',
      validityMs: HOUR_MS,
      clock,
      publicKey: keys.publicKey,
    });
    expect(issued.privateKeyPem).toBeUndefined();
    const spki = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey));
    expect(new X509Certificate(issued.certificatePem).publicKey.export({ type: 'spki', format: 'der' })).toEqual(spki);
  });

  test('generates unique 128-bit serial numbers', async () => {
    const serials = new Set<string>();
    for (let index = 0; index < 20; index++) {
      const { certificatePem } = await issueCertificate(authority, {
        commonName: 'a',
        usages: 'client',
        validityMs: HOUR_MS,
        clock,
      });
      serials.add(certificateInfo(certificatePem).serialNumber);
    }
    expect(serials.size).toBe(20);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9a-f]{31}$/);
  });
});

describe('loadCertificateAuthority', () => {
  test('signs with a reloaded CA as before', async () => {
    const loaded = await loadCertificateAuthority(authority.certificatePem, authority.privateKeyPem);
    const issued = await issueCertificate(loaded, { commonName: 'a', usages: 'client', validityMs: HOUR_MS, clock });
    const trust = new TrustStore(authority.certificatePem);
    expect(trust.distrustReasonOf(der(issued.certificatePem), 'client auth', clock.now())).toBeUndefined();
    expect(loaded.keyId).toBe(authority.keyId);
  });

  test('rejects a key that does not match, a leaf certificate and invalid PEM', async () => {
    const leaf = await issueCertificate(authority, { commonName: 'a', usages: 'both', validityMs: HOUR_MS, clock });
    const cases: readonly [string, string, RegExp][] = [
      [authority.certificatePem, otherAuthority.privateKeyPem, /does not belong/],
      [leaf.certificatePem, leaf.privateKeyPem ?? '', /not a CA certificate/],
      ['noise', authority.privateKeyPem, /not readable/],
      [authority.certificatePem, 'noise', /not readable/],
    ];
    for (const [certificate, key, message] of cases) {
      await expect(loadCertificateAuthority(certificate, key)).rejects.toThrow(message);
    }
  });
});

describe('TrustStore', () => {
  const issue = (by: CertificateAuthority, usages: 'client' | 'server', validityMs = HOUR_MS) =>
    issueCertificate(by, { commonName: 'alice', usages, validityMs, clock });
  const UNKNOWN = 'x509: certificate signed by unknown authority';
  const NOT_CURRENT = 'x509: certificate has expired or is not yet valid';

  test.each([
    ['accepts a certificate of its own authority', () => issue(authority, 'client'), 0, undefined],
    [
      'rejects a certificate of another authority with the same name',
      () => issue(otherAuthority, 'client'),
      0,
      UNKNOWN,
    ],
    ['rejects an expired certificate', () => issue(authority, 'client'), HOUR_MS + 1000, NOT_CURRENT],
    ['rejects a certificate that is not yet valid', () => issue(authority, 'client'), -5 * 60_000 - 1000, NOT_CURRENT],
    [
      'accepts a certificate that is backdated for lagging clocks',
      () => issue(authority, 'client'),
      -5 * 60_000,
      undefined,
    ],
    [
      'rejects a server certificate where a client certificate is required',
      () => issue(authority, 'server'),
      0,
      'x509: certificate specifies an incompatible key usage',
    ],
  ] as const)('%s', async (_name, make, offsetMs, expected) => {
    const trust = new TrustStore(authority.certificatePem);
    const { certificatePem } = await make();
    expect(trust.distrustReasonOf(der(certificatePem), 'client auth', clock.now() + offsetMs)).toBe(expected);
  });

  test('detects by its signature a forgery that copies the name and key ID of the CA', async () => {
    const { privateKey } = await generateKeyPair();
    const forged = await signCertificate(
      { subject: authority.subject, keyId: authority.keyId, signingKey: privateKey },
      {
        subject: nameOf({ commonName: 'root', organizations: ['system:masters'] }),
        publicKey: (await generateKeyPair()).publicKey,
        notBeforeMs: clock.now(),
        notAfterMs: clock.now() + HOUR_MS,
        usages: ['digital signature', 'client auth'],
      },
    );
    const trust = new TrustStore(authority.certificatePem);
    expect(trust.distrustReasonOf(new Uint8Array(forged.rawData), 'client auth', clock.now())).toBe(UNKNOWN);
  });

  test('rejects a certificate issued by a leaf certificate', async () => {
    const leaf = await issue(authority, 'client');
    const leafInfo = certificateInfo(leaf.certificatePem);
    const issued = await signCertificate(
      {
        subject: nameOf(leafInfo),
        keyId: authority.keyId,
        signingKey: privateKeyFromPem(leaf.privateKeyPem ?? ''),
      },
      {
        subject: nameOf({ commonName: 'root', organizations: ['system:masters'] }),
        publicKey: (await generateKeyPair()).publicKey,
        notBeforeMs: clock.now(),
        notAfterMs: clock.now() + HOUR_MS,
        usages: ['client auth'],
      },
    );
    const trust = new TrustStore(authority.certificatePem);
    expect(trust.distrustReasonOf(new Uint8Array(issued.rawData), 'client auth', clock.now())).toBe(UNKNOWN);
  });

  test('trusts both CAs in a bundle, and only the new one after the rotation', async () => {
    const old = der((await issue(authority, 'client')).certificatePem);
    const fresh = der((await issue(otherAuthority, 'client')).certificatePem);
    const duringRotation = new TrustStore(joinPemBundles(otherAuthority.certificatePem, authority.certificatePem));
    const after = new TrustStore(otherAuthority.certificatePem);

    expect([old, fresh].map((leaf) => duringRotation.distrustReasonOf(leaf, 'client auth', clock.now()))).toEqual([
      undefined,
      undefined,
    ]);
    expect([old, fresh].map((leaf) => after.distrustReasonOf(leaf, 'client auth', clock.now()))).toEqual([
      UNKNOWN,
      undefined,
    ]);
  });

  test('rejects invalid certificates, and bundles without a CA', async () => {
    const trust = new TrustStore(authority.certificatePem);
    expect(trust.distrustReasonOf(new Uint8Array([1, 2, 3]), 'client auth', clock.now())).toBe(
      'x509: malformed certificate',
    );
    expect(() => new TrustStore('')).toThrow(PkiError);
    const leaf = await issue(authority, 'client');
    expect(() => new TrustStore(leaf.certificatePem)).toThrow(/not an authority/);
  });
});

test('joining bundles keeps each certificate once, in order', () => {
  const bundle = joinPemBundles(authority.certificatePem, otherAuthority.certificatePem, authority.certificatePem);
  const fingerprint = (pem: string) => certificateInfo(pem).fingerprintSha256;
  expect(splitPemBundle(bundle).map(fingerprint)).toEqual(
    [authority, otherAuthority].map(({ certificatePem }) => fingerprint(certificatePem)),
  );
});
