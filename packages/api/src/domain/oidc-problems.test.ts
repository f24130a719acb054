import { FakeClock } from '@fairway/base/clock-fake';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../kinds/cluster.ts';
import { oidcErrors, SERVICE_ACCOUNT_ISSUER } from './oidc-problems.ts';

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

const VALID_OIDC: Oidc = {
  issuerURL: 'https://login.example.org/realms/team',
  clientID: 'kubernetes',
  usernameClaim: 'sub',
  signingAlgorithms: ['RS256'],
};

let pem: string;
beforeAll(async () => {
  const clock = new FakeClock(Date.UTC(2026, 10, 22));
  pem = (await createCertificateAuthority({ commonName: 'issuer', clock, validityMs: 86_400_000 })).certificatePem;
});

const fieldsOf = (change: Partial<Oidc>) => oidcErrors({ ...VALID_OIDC, ...change }).map(({ field }) => field);

describe('oidcErrors', () => {
  test.each<Partial<Oidc>>([
    {},
    { issuerURL: 'https://203.0.113.7:8443' },
    { issuerURL: 'https://[2001:db8::7]/' },
    { issuerURL: 'https://svc.example.org/cluster.local' },
    { usernameClaim: 'https://example.org/näme', usernamePrefix: '-', groupsClaims: ['groups', 'roles'] },
    { requiredClaims: { hd: 'example.org' }, certificateAuthority: '' },
  ])('accepts %j', (change) => {
    expect(oidcErrors({ ...VALID_OIDC, ...change })).toEqual([]);
  });

  test('accepts several certificates with text between them', () => {
    expect(fieldsOf({ certificateAuthority: pem })).toEqual([]);
    expect(fieldsOf({ certificateAuthority: `# old\n${pem}\n# new\r\n${pem.replaceAll('\n', '\r\n')}` })).toEqual([]);
  });
});

describe('oidcErrors for invalid settings', () => {
  test.each([
    { issuerURL: 'https://', reason: 'no host' },
    { issuerURL: 'http://login.example.org', reason: 'no TLS' },
    { issuerURL: 'https://login.example.org:99999', reason: 'an invalid port' },
    { issuerURL: 'https://me:secret@login.example.org', reason: 'a password' },
    { issuerURL: 'https://login.example.org/?realm=a', reason: 'a query' },
    { issuerURL: 'https://login.example.org/#a', reason: 'a fragment' },
    { issuerURL: 'https://login.example.org/%zz', reason: 'an escape that the URL parser of Go rejects' },
    { issuerURL: 'https://login%41.example.org/', reason: 'an escape in the host' },
    { issuerURL: 'https://{realm}.example.org/', reason: 'an invalid character in the host' },
    { issuerURL: SERVICE_ACCOUNT_ISSUER, reason: "the cluster's own issuer" },
    { issuerURL: `${SERVICE_ACCOUNT_ISSUER}/`, reason: 'the issuer of the cluster with a trailing slash' },
    { issuerURL: 'https://dex.auth.svc:5556', reason: 'a Service' },
    { issuerURL: 'https://dex.auth.svc.cluster.local', reason: 'a Service by its full name' },
    { issuerURL: 'https://localhost:8443', reason: 'the host of the API server' },
    { issuerURL: 'https://127.0.0.1:8443', reason: 'the loopback address of the API server' },
    { issuerURL: 'https://0x7f.1/', reason: 'the loopback address in another notation' },
    { issuerURL: 'https://[::1]/', reason: 'the IPv6 loopback address' },
    { issuerURL: 'https://[::ffff:127.0.0.1]/', reason: 'the IPv4-mapped IPv6 loopback address' },
    { issuerURL: 'https://169.254.169.254/', reason: 'the metadata service of the cloud' },
  ])('refuses $issuerURL: $reason', ({ issuerURL }) => {
    expect(fieldsOf({ issuerURL })).toEqual(['spec.apiServer.oidc.issuerURL']);
  });

  test('refuses a string that is not a certificate', () => {
    const field = ['spec.apiServer.oidc.certificateAuthority'];
    expect(fieldsOf({ certificateAuthority: 'not a pem' })).toEqual(field);
    expect(fieldsOf({ certificateAuthority: pem.replaceAll('CERTIFICATE', 'PRIVATE KEY') })).toEqual(field);
    const cut = `-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`;
    expect(fieldsOf({ certificateAuthority: pem + cut })).toEqual(field);
  });

  test.each<{ change: Partial<Oidc>; field: string }>([
    { change: { clientID: 'a\u0000b' }, field: 'clientID' },
    { change: { usernameClaim: 'a\ud800' }, field: 'usernameClaim' },
    { change: { usernamePrefix: '\n' }, field: 'usernamePrefix' },
    { change: { groupsClaims: ['groups', '\ud800'] }, field: 'groupsClaims[1]' },
    { change: { requiredClaims: { '': 'x' } }, field: 'requiredClaims' },
    { change: { requiredClaims: { hd: '\ud800' } }, field: 'requiredClaims[hd]' },
    {
      change: { requiredClaims: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`claim-${index}`, 'x'])) },
      field: 'requiredClaims',
    },
  ])('refuses an invalid $field', ({ change, field }) => {
    expect(fieldsOf(change)).toEqual([`spec.apiServer.oidc.${field}`]);
  });
});
