import { describe, expect, test } from 'vitest';
import { createCertificateRequest, isRequestSignatureValid, parseCertificateRequest } from './certificate-request.ts';
import { generateKeyPair } from './key-pair.ts';
import { PkiError } from './pki-error.ts';

describe('certificate requests', () => {
  test('round-trip', async () => {
    const keys = await generateKeyPair();
    const pem = await createCertificateRequest({
      commonName: 'system:node:worker-1',
      organizations: ['system:nodes'],
      dnsNames: ['worker-1'],
      ipAddresses: ['10.1.2.3', '2001:db8:0:0::7'],
      emailAddresses: ['root@example.org'],
      uris: ['spiffe://example.org/worker-1'],
      usages: ['digital signature', 'server auth'],
      keys,
    });
    const request = parseCertificateRequest(pem);

    expect(request).toMatchObject({
      commonName: 'system:node:worker-1',
      organizations: ['system:nodes'],
      dnsNames: ['worker-1'],
      ipAddresses: ['10.1.2.3', '2001:db8::7'],
      emailAddresses: ['root@example.org'],
      uris: ['spiffe://example.org/worker-1'],
      usages: ['digital signature', 'server auth'],
    });
    expect(isRequestSignatureValid(request)).toBe(true);
  });

  test('are rejected beyond the size limit', () => {
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(65_536)}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(() => parseCertificateRequest(pem)).toThrow(/certificate request has \d+ characters, the limit is 65536/);
  });

  test('signed with a key other than their own are detected', async () => {
    const [mine, yours] = [await generateKeyPair(), await generateKeyPair()];
    const pem = await createCertificateRequest({
      commonName: 'a',
      organizations: [],
      keys: { publicKey: yours.publicKey, privateKey: mine.privateKey },
    });
    expect(isRequestSignatureValid(parseCertificateRequest(pem))).toBe(false);
  });

  test('with a name of a kind that there is not are refused', async () => {
    const keys = await generateKeyPair();
    const pem = await createCertificateRequest({ commonName: 'a', organizations: [], dnsNames: ['worker-1'], keys });
    const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64');
    // The tag of a DNS name, before its length and text.
    der[der.indexOf('worker-1') - 2] = 0x9e;
    const odd = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

    expect(() => parseCertificateRequest(odd)).toThrow(PkiError);
  });

  test.each([
    ['', /PEM block type must be CERTIFICATE REQUEST/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /PEM block type must be CERTIFICATE REQUEST/],
    ['-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----', /not valid PKCS #10/],
  ])('%j is refused', (pem, message) => {
    expect(() => parseCertificateRequest(pem)).toThrow(PkiError);
    expect(() => parseCertificateRequest(pem)).toThrow(message);
  });
});
