import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificateAuthority, loadCertificateAuthority } from '../../pki/certificate-authority.ts';
import { certificateInfo, joinPemBundles } from '../../pki/certificate-info.ts';
import {
  createCertificateRequest,
  isRequestSignatureValid,
  parseCertificateRequest,
} from '../../pki/certificate-request.ts';
import { issueCertificate } from '../../pki/issue-certificate.ts';
import { generateKeyPair } from '../../pki/key-pair.ts';

const HOUR_MS = 3_600_000;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

// OpenSSL verifies our output, and we parse its output: the two implementations must agree.
describe.skipIf(!hasOpenssl)('parity with openssl (skipped if it is not installed)', () => {
  let directory: string;
  const file = (name: string, content: string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'pki-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test('openssl verifies our chain for its purpose and reads our names', async () => {
    const clock = systemClock;
    const authority = await createCertificateAuthority({
      commonName: 'kubernetes',
      organization: 'fairway',
      clock,
      validityMs: 30 * 365 * 24 * HOUR_MS,
    });
    const other = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: HOUR_MS });
    const server = await issueCertificate(authority, {
      commonName: 'kube-apiserver',
      organizations: ['a, b', 'ü'],
      dnsNames: ['kubernetes.default.svc'],
      ipAddresses: ['10.3.0.1', '2001:db8::1'],
      usages: 'server',
      validityMs: HOUR_MS,
      clock,
    });
    const leaf = file('server.pem', server.certificatePem);
    const bundle = file('bundle.pem', joinPemBundles(other.certificatePem, authority.certificatePem));
    const foreign = file('foreign.pem', other.certificatePem);

    const verify = (...args: string[]) => spawnSync('openssl', ['verify', '-x509_strict', ...args, leaf]).status === 0;
    expect(verify('-CAfile', bundle, '-purpose', 'sslserver', '-verify_hostname', 'kubernetes.default.svc')).toBe(true);
    expect(verify('-CAfile', bundle, '-purpose', 'sslserver', '-verify_ip', '2001:db8::1')).toBe(true);
    expect(verify('-CAfile', bundle, '-purpose', 'sslclient')).toBe(false);
    expect(verify('-CAfile', foreign)).toBe(false);

    const text = openssl('x509', '-in', leaf, '-noout', '-text', '-nameopt', 'RFC2253,utf8,-esc_msb');
    expect(text).toContain('Subject: CN=kube-apiserver,O=ü,O=a\\, b');
    expect(text).toContain('DNS:kubernetes.default.svc, IP Address:10.3.0.1, IP Address:2001:DB8:0:0:0:0:0:1');
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment\s/);
    expect(text).toMatch(/Authority Key Identifier/);

    const info = certificateInfo(server.certificatePem);
    const fingerprint = openssl('x509', '-in', leaf, '-noout', '-fingerprint', '-sha256');
    expect(fingerprint.trim().split('=')[1]?.replaceAll(':', '').toLowerCase()).toBe(info.fingerprintSha256);
    file('server.key', server.privateKeyPem ?? '');
    expect(openssl('pkey', '-in', 'server.key', '-pubout')).toBe(openssl('x509', '-in', leaf, '-noout', '-pubkey'));
  });

  test.each([
    ['P-384, SEC 1', ['ecparam', '-genkey', '-name', 'secp384r1', '-noout', '-out', 'ca.key']],
    ['RSA, PKCS #1', ['genrsa', '-traditional', '-out', 'ca.key', '2048']],
  ])('signs with an authority created by openssl: %s', async (_name, makeKey) => {
    openssl(...makeKey);
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      'ca.key',
      '-subj',
      '/O=legacy/CN=root',
      '-addext',
      'keyUsage=critical,keyCertSign',
      '-days',
      '2',
      '-out',
      'ca.pem',
    );
    const authority = await loadCertificateAuthority(
      openssl('x509', '-in', 'ca.pem'),
      openssl('pkey', '-in', 'ca.key', '-traditional'),
    );
    const leaf = await issueCertificate(authority, {
      commonName: 'a',
      usages: 'client',
      validityMs: HOUR_MS,
      clock: systemClock,
    });
    const path = file('leaf.pem', leaf.certificatePem);
    expect(openssl('verify', '-x509_strict', '-CAfile', 'ca.pem', '-purpose', 'sslclient', path)).toContain('OK');
  });

  test('requests are parsed and verified in both directions', async () => {
    openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', 'req.key');
    const subject = '/O=system:nodes/CN=system:node:n1';
    openssl(
      'req',
      '-new',
      '-key',
      'req.key',
      '-subj',
      subject,
      '-addext',
      'subjectAltName=DNS:n1,IP:fd00::1',
      '-out',
      'req.pem',
    );
    const request = parseCertificateRequest(openssl('req', '-in', 'req.pem'));
    expect(request).toMatchObject({
      commonName: 'system:node:n1',
      organizations: ['system:nodes'],
      dnsNames: ['n1'],
      ipAddresses: ['fd00::1'],
    });
    expect(isRequestSignatureValid(request)).toBe(true);

    const ownRequest = await createCertificateRequest({
      commonName: 'alice',
      organizations: ['dev'],
      keys: await generateKeyPair(),
    });
    const path = file('ours.pem', ownRequest);
    expect(spawnSync('openssl', ['req', '-in', path, '-noout', '-verify']).status).toBe(0);
    expect(openssl('req', '-in', path, '-noout', '-subject', '-nameopt', 'RFC2253')).toContain('CN=alice,O=dev');
  });
});
