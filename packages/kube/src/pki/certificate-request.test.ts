import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createCertificateRequest, isRequestSignatureValid, parseCertificateRequest } from './certificate-request.ts';
import { encodeDer, TAG } from './der.ts';
import { generateKeyPair } from './key-pair.ts';
import { PkiError } from './pki-error.ts';
import { ambiguousRequests } from './testing/ambiguous-requests.ts';
import {
  craftPem,
  dns,
  extensionRequest,
  ip,
  names,
  part,
  requestPem,
  STRINGS,
  signedRequest,
} from './testing/crafted-request.ts';

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

  test('are detected if signed with a key other than their own', async () => {
    const [ownKey, foreignKey] = [await generateKeyPair(), await generateKeyPair()];
    const pem = await createCertificateRequest({
      commonName: 'a',
      organizations: [],
      keys: { publicKey: foreignKey.publicKey, privateKey: ownKey.privateKey },
    });
    expect(isRequestSignatureValid(parseCertificateRequest(pem))).toBe(false);
  });

  test('are refused with an unknown kind of name', async () => {
    const keys = await generateKeyPair();
    const pem = await createCertificateRequest({ commonName: 'a', organizations: [], dnsNames: ['worker-1'], keys });
    const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64');
    // The tag of a DNS name, before its length and text.
    der[der.indexOf('worker-1') - 2] = 0x9e;
    const multilinePem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

    expect(() => parseCertificateRequest(multilinePem)).toThrow(PkiError);
  });

  const target = {
    node: 'system:node:a',
    ownNames: [dns('a')],
    foreignNode: 'system:node:b',
    foreignNames: [dns('kubernetes.default.svc'), ip(10, 0, 0, 1)],
  };

  test('are parsed if crafted by hand', () => {
    const pem = craftPem({
      subject: [part('O', 'system:nodes', STRINGS.printable), part('CN', target.node)],
      attributes: [extensionRequest(names(...target.ownNames, ip(10, 0, 0, 9)))],
    });
    const request = parseCertificateRequest(pem);
    expect(request).toMatchObject({ commonName: target.node, dnsNames: ['a'], ipAddresses: ['10.0.0.9'] });
    expect(isRequestSignatureValid(request)).toBe(true);
  });

  test.each(ambiguousRequests(target))('are refused if parsers read them differently: $form', ({ pem }) => {
    expect(() => parseCertificateRequest(pem)).toThrow(PkiError);
  });

  const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
  test.each([
    ['RSA with 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey],
    ['RSA with the exponent 3', generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey],
    ['an unsupported curve', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey],
    [
      'a curve with explicit parameters',
      generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey,
    ],
    ['X25519', generateKeyPairSync('x25519').publicKey],
  ])('are refused for a key of %s', (_, key) => {
    const spki = key.export({ type: 'spki', format: 'der' });
    expect(() => parseCertificateRequest(craftPem({ subject: [part('CN', 'a')], spki }))).toThrow(/the key must be/);
  });

  test('are refused for a compressed point', () => {
    const spki = Buffer.concat([
      Buffer.from('3039', 'hex'),
      P256.subarray(2, 23),
      Buffer.from('03220002', 'hex'),
      P256.subarray(27, 59),
    ]);
    expect(() => parseCertificateRequest(craftPem({ subject: [part('CN', 'a')], spki }))).toThrow(/the key must be/);
  });

  test('are refused without parsing their contents if nested as deeply as the size limit allows', () => {
    let deep: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 10_000; depth++) deep = encodeDer(TAG.sequence, deep);
    expect(() => parseCertificateRequest(requestPem(deep))).toThrow(/not valid PKCS #10/);
    expect(() => parseCertificateRequest(requestPem(signedRequest(deep)))).toThrow(PkiError);
    expect(() => parseCertificateRequest(craftPem({ subject: [], attributes: [deep] }))).toThrow(PkiError);
  });

  test.each([
    ['', /PEM block type must be CERTIFICATE REQUEST/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /PEM block type must be CERTIFICATE REQUEST/],
    ['-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----', /not valid PKCS #10/],
  ])('are refused if the text is %j', (pem, message) => {
    expect(() => parseCertificateRequest(pem)).toThrow(PkiError);
    expect(() => parseCertificateRequest(pem)).toThrow(message);
  });
});
