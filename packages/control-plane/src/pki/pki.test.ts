import { FakeClock } from '@fairway/base/clock-fake';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { certificateInfo, splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { describe, expect, it } from 'vitest';
import { beginRotation, completeRotation, isRotationDue, switchAuthority } from './authority-rotation.ts';
import { renewCertificates } from './certificates-secret.ts';
import { AUTHORITY_VALIDITY_MS, type ClusterPki, createClusterPki, trustBundle } from './cluster-pki.ts';
import { certificateRequirements } from './component-certificates.ts';
import { PkiSecretError, parsePkiSecret, pkiSecret } from './pki-secret.ts';
import { planRenewal, type StoredCertificate } from './plan-renewal.ts';

const clock = new FakeClock();
const DAY_MS = 86_400_000;
const pki = await createClusterPki(clock);
const next = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: AUTHORITY_VALIDITY_MS });
const cluster = { uid: 'uid-1', name: 'demo', namespace: 'team' };
const names = { serviceCIDR: '10.3.0.0/16', dnsNames: ['demo.example.com'], ipAddresses: ['192.0.2.7'] };

it('gives each cluster CAs that clients cannot confuse with those of another cluster', async () => {
  const others = await createClusterPki(clock);
  const issuers = [pki, others].map(({ cluster: { active } }) => certificateInfo(active.certificatePem).organizations);

  expect(issuers[0]).not.toEqual(issuers[1]);
});

describe('pkiSecret', () => {
  it('round-trips', async () => {
    const secret = await pkiSecret(cluster, pki);
    expect(secret.metadata).toMatchObject({ name: 'cluster-uid-1-pki', namespace: 'fairway-system' });
    const parsed = await parsePkiSecret(secret);
    expect(parsed.cluster.active.certificatePem).toBe(pki.cluster.active.certificatePem);
    expect(parsed.frontProxy.active.privateKeyPem).toBe(pki.frontProxy.active.privateKeyPem);
    expect(parsed.serviceAccountKeys.signing.keyId).toBe(pki.serviceAccountKeys.signing.keyId);
    expect(await pkiSecret(cluster, parsed)).toEqual(secret);
  });

  it('stores a second CA and previous keys', async () => {
    const former = pki.serviceAccountKeys.signing;
    const keys = await createServiceAccountKeys();
    const rotating: ClusterPki = {
      ...pki,
      cluster: beginRotation(pki.cluster, next),
      serviceAccountKeys: { signing: keys.signing, verification: [keys.signing, former] },
    };
    const parsed = await parsePkiSecret(await pkiSecret(cluster, rotating));
    expect(parsed.cluster.standby?.certificatePem).toBe(next.certificatePem);
    expect(parsed.frontProxy.standby).toBeUndefined();
    expect(parsed.serviceAccountKeys.verification.map(({ keyId }) => keyId)).toEqual([
      keys.signing.keyId,
      former.keyId,
    ]);
  });

  it.each([
    ['ca.key', undefined, 'secret fairway-system/cluster-uid-1-pki: ca.key is missing'],
    ['ca.crt', 'bm9wZQ==', 'secret fairway-system/cluster-uid-1-pki: ca.crt: '],
  ])('reports that %s is invalid', async (key, value, message) => {
    const secret = await pkiSecret(cluster, pki);
    const { [key]: _, ...rest } = secret.data ?? {};
    const broken = { ...secret, data: { ...rest, ...(value && { [key]: value }) } };
    await expect(parsePkiSecret(broken)).rejects.toThrow(PkiSecretError);
    await expect(parsePkiSecret(broken)).rejects.toThrow(message);
  });
});

describe('CA rotation', () => {
  it('trusts the next CA before it signs, and the previous one until everything is replaced', () => {
    const prepared = beginRotation(pki.cluster, next);
    const switched = switchAuthority(prepared);
    const stages = [pki.cluster, prepared, switched, completeRotation(switched)];
    expect(stages.map(({ active }) => (active === next ? 'next' : 'first'))).toEqual([
      'first',
      'first',
      'next',
      'next',
    ]);
    expect(stages.map((pair) => splitPemBundle(trustBundle(pair)).length)).toEqual([1, 2, 2, 1]);
  });

  it('rejects a second concurrent rotation, and a switch without a next CA', () => {
    expect(() => beginRotation(beginRotation(pki.cluster, next), next)).toThrow('in progress');
    expect(() => switchAuthority(pki.cluster)).toThrow('no next');
  });

  it('is due two years before expiry', () => {
    const endMs = pki.cluster.active.notAfterMs;
    expect(isRotationDue(pki.cluster, endMs - 731 * DAY_MS)).toBe(false);
    expect(isRotationDue(pki.cluster, endMs - 729 * DAY_MS)).toBe(true);
    expect(isRotationDue(beginRotation(pki.cluster, next), endMs - DAY_MS)).toBe(false);
  });
});

describe('planRenewal', () => {
  const requirement = certificateRequirements(names)[0];
  const good: StoredCertificate = {
    isSignedByActive: true,
    info: {
      commonName: 'kube-apiserver',
      organizations: [],
      dnsNames: requirement?.dnsNames.toReversed() ?? [],
      ipAddresses: requirement?.ipAddresses ?? [],
      notBeforeMs: 0,
      notAfterMs: 90 * DAY_MS,
    },
  };
  it.each<{ held: StoredCertificate | undefined; day: number; reason: string | undefined }>([
    { held: undefined, day: 0, reason: 'Missing' },
    { held: good, day: 59, reason: undefined },
    { held: good, day: 60, reason: 'Expiring' },
    { held: { ...good, isSignedByActive: false }, day: 1, reason: 'AuthorityChanged' },
    { held: { ...good, info: { ...good.info, commonName: 'x' } }, day: 1, reason: 'SubjectChanged' },
    { held: { ...good, info: { ...good.info, organizations: ['system:masters'] } }, day: 1, reason: 'SubjectChanged' },
    { held: { ...good, info: { ...good.info, ipAddresses: ['127.0.0.1'] } }, day: 1, reason: 'NamesChanged' },
  ])('returns the renewal reason $reason on day $day', ({ held, day, reason }) => {
    const heldCertificates = new Map(held ? [['apiserver' as const, held]] : []);
    const renewals = planRenewal(requirement ? [requirement] : [], heldCertificates, day * DAY_MS);
    expect(renewals[0]?.reason).toBe(reason);
  });
});

describe('renewCertificates', () => {
  it('issues all certificates once, and reissues none while nothing changes', async () => {
    const first = await renewCertificates(pki, names, new Map(), clock);
    expect(first.renewals.map(({ reason }) => reason)).toEqual(Array.from({ length: 6 }, () => 'Missing'));
    const server = certificateInfo(first.certificates.get('apiserver')?.certificatePem ?? '');
    expect(server.ipAddresses).toEqual(['10.3.0.1', '127.0.0.1', '192.0.2.7']);
    expect(server.dnsNames).toContain('demo.example.com');

    expect((await renewCertificates(pki, names, first.certificates, clock)).renewals).toEqual([]);
  });

  it('reissues certificates signed by the previous CA, except the front proxy’s', async () => {
    const first = await renewCertificates(pki, names, new Map(), clock);
    const switched = { ...pki, cluster: switchAuthority(beginRotation(pki.cluster, next)) };
    const { renewals } = await renewCertificates(switched, names, first.certificates, clock);
    expect(renewals.map(({ requirement, reason }) => [requirement.component, reason])).toEqual([
      ['apiserver', 'AuthorityChanged'],
      ['apiserver-kubelet-client', 'AuthorityChanged'],
      ['controller-manager', 'AuthorityChanged'],
      ['scheduler', 'AuthorityChanged'],
      ['fairway', 'AuthorityChanged'],
    ]);
  });
});
