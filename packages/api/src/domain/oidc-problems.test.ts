import { FakeClock } from '@fairway/base/clock-fake';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../kinds/cluster.ts';
import { oidcErrors, SERVICE_ACCOUNT_ISSUER } from './oidc-problems.ts';

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

const GOOD: Oidc = {
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

const fieldsOf = (change: Partial<Oidc>) => oidcErrors({ ...GOOD, ...change }).map(({ field }) => field);

describe('an issuer of tokens that an API server can start with', () => {
  test.each<Partial<Oidc>>([
    {},
    { issuerURL: 'https://203.0.113.7:8443' },
    { issuerURL: 'https://[2001:db8::7]/' },
    { issuerURL: 'https://svc.example.org/cluster.local' },
    { usernameClaim: 'https://example.org/näme', usernamePrefix: '-', groupsClaims: ['groups', 'roles'] },
    { requiredClaims: { hd: 'example.org' }, certificateAuthority: '' },
  ])('%j', (change) => {
    expect(oidcErrors({ ...GOOD, ...change })).toEqual([]);
  });

  test('one or several certificates, with words between them', () => {
    expect(fieldsOf({ certificateAuthority: pem })).toEqual([]);
    expect(fieldsOf({ certificateAuthority: `# old\n${pem}\n# new\r\n${pem.replaceAll('\n', '\r\n')}` })).toEqual([]);
  });
});

describe('is refused', () => {
  test.each([
    { issuerURL: 'https://', reason: 'no host' },
    { issuerURL: 'http://login.example.org', reason: 'no TLS' },
    { issuerURL: 'https://login.example.org:99999', reason: 'no such port' },
    { issuerURL: 'https://me:secret@login.example.org', reason: 'a password' },
    { issuerURL: 'https://login.example.org/?realm=a', reason: 'a query' },
    { issuerURL: 'https://login.example.org/#a', reason: 'a fragment' },
    { issuerURL: 'https://login.example.org/%zz', reason: "what Go's parser does not read" },
    { issuerURL: 'https://login%41.example.org/', reason: 'the same in a host' },
    { issuerURL: 'https://{realm}.example.org/', reason: 'no character of a host' },
    { issuerURL: SERVICE_ACCOUNT_ISSUER, reason: "the cluster's own issuer" },
    { issuerURL: `${SERVICE_ACCOUNT_ISSUER}/`, reason: 'the same with a slash' },
    { issuerURL: 'https://dex.auth.svc:5556', reason: 'a Service' },
    { issuerURL: 'https://dex.auth.svc.cluster.local', reason: 'a Service by its full name' },
    { issuerURL: 'https://localhost:8443', reason: 'the machine of the API server' },
    { issuerURL: 'https://127.0.0.1:8443', reason: 'its loopback' },
    { issuerURL: 'https://0x7f.1/', reason: 'the same, written otherwise' },
    { issuerURL: 'https://[::1]/', reason: 'the same in IPv6' },
    { issuerURL: 'https://[::ffff:127.0.0.1]/', reason: 'the same within IPv6' },
    { issuerURL: 'https://169.254.169.254/', reason: "the cloud's metadata" },
  ])('issuer $issuerURL: $reason', ({ issuerURL }) => {
    expect(fieldsOf({ issuerURL })).toEqual(['spec.apiServer.oidc.issuerURL']);
  });

  test('what is no certificate', () => {
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
  ])('$field', ({ change, field }) => {
    expect(fieldsOf(change)).toEqual([`spec.apiServer.oidc.${field}`]);
  });
});
