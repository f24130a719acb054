import { FakeClock } from '@fairway/base/clock-fake';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { describe, expect, it, test } from 'vitest';
import { type ClusterPki, clientAuthority, clientTrustBundle, createClusterPki, trustBundle } from './cluster-pki.ts';
import {
  beginClusterRotation,
  completeClusterRotation,
  endClusterRotation,
  revokeKubeconfigs,
  switchSigners,
} from './cluster-rotation.ts';
import { certificateRequirements, signerOf } from './component-certificates.ts';
import { hasUsersAuthority, parsePkiSecret, pkiSecret } from './pki-secret.ts';

const clock = new FakeClock();
const identity = { uid: 'uid-1', name: 'demo', namespace: 'team' };
const first = await createClusterPki(clock);
const trusting = await beginClusterRotation(first, 'monday', clock);
const renewing = await switchSigners(trusting, clock);
const completing = completeClusterRotation(renewing, clock);
const ended = endClusterRotation(completing, clock);
const STAGES = { first, trusting, renewing, completing, ended };

type Stage = keyof typeof STAGES;

/** `old` or `next`, depending on which authority signs at a stage. */
function signers(pki: ClusterPki): Record<string, string> {
  const nameOf = (keyId: string, old: string) => (keyId === old ? 'old' : 'next');
  const components = certificateRequirements({ serviceCIDR: '10.3.0.0/16', dnsNames: [], ipAddresses: [] });
  const oldKeyIds = { cluster: first.cluster.active.keyId, frontProxy: first.frontProxy.active.keyId };
  return {
    ...Object.fromEntries(
      components.map((each) => [each.component, nameOf(signerOf(pki, each).keyId, oldKeyIds[each.authority])]),
    ),
    kubelets: nameOf(clientAuthority(pki).keyId, oldKeyIds.cluster),
    kubeconfigs: nameOf(pki.users.active.keyId, first.users.active.keyId),
    tokens: nameOf(pki.serviceAccountKeys.signing.keyId, first.serviceAccountKeys.signing.keyId),
  };
}

const COMPONENTS = [
  'apiserver',
  'apiserver-kubelet-client',
  'controller-manager',
  'scheduler',
  'fairway',
  'front-proxy-client',
];
const OTHER_SIGNED = ['kubelets', 'kubeconfigs', 'tokens'];
const every = (signer: string) => Object.fromEntries([...COMPONENTS, ...OTHER_SIGNED].map((name) => [name, signer]));

describe.each<{ stage: Stage; signed: object; trusts: number; reason?: string }>([
  { stage: 'first', signed: every('old'), trusts: 1 },
  { stage: 'trusting', signed: every('old'), trusts: 2, reason: 'no client trusts the next authorities yet' },
  {
    stage: 'renewing',
    signed: { ...every('next'), apiserver: 'old', 'apiserver-kubelet-client': 'old' },
    trusts: 2,
    reason: 'nodes trust only the old authority until they are updated',
  },
  { stage: 'completing', signed: every('next'), trusts: 1 },
  { stage: 'ended', signed: every('next'), trusts: 1 },
])('rotation at stage $stage', ({ stage, signed, trusts }) => {
  const pki = STAGES[stage];

  it('signs everything with an authority that its verifiers trust', () => {
    expect(signers(pki)).toEqual(signed);
  });

  it(`trusts ${trusts} of each authority`, () => {
    const { cluster, users, frontProxy, serviceAccountKeys } = pki;
    for (const pair of [cluster, users, frontProxy]) expect(splitPemBundle(trustBundle(pair))).toHaveLength(trusts);
    expect(splitPemBundle(clientTrustBundle(pki))).toHaveLength(2 * trusts);
    expect(serviceAccountKeys.verification).toHaveLength(trusts);
  });

  it('is unchanged after storage', async () => {
    const stored = await parsePkiSecret(await pkiSecret(identity, pki));
    expect(signers(stored)).toEqual(signers(pki));
    expect(clientTrustBundle(stored)).toBe(clientTrustBundle(pki));
    expect(stored.rotation).toEqual(pki.rotation);
    expect(await pkiSecret(identity, stored)).toEqual(await pkiSecret(identity, pki));
  });

  it('leaves bootstrap tokens unchanged, because a server may be booting with one', () => {
    expect(pki.bootstrapTokenKey).toBe(first.bootstrapTokenKey);
  });
});

test('stores no trace of the previous authorities once they are removed', async () => {
  const text = Object.values((await pkiSecret(identity, ended)).data ?? {})
    .map((value) => Buffer.from(value, 'base64').toString())
    .join('');
  const { cluster, users, frontProxy, serviceAccountKeys } = first;
  for (const { active } of [cluster, users, frontProxy]) {
    expect(text).not.toContain(active.privateKeyPem);
    expect(text).not.toContain(active.certificatePem);
  }
  expect(text).not.toContain(serviceAccountKeys.signing.privateKeyPem);
});

test('enters each stage only from the previous one', async () => {
  await expect(beginClusterRotation(trusting, 'again', clock)).rejects.toThrow('at stage Trusting, not Stable');
  await expect(switchSigners(first, clock)).rejects.toThrow('at stage Stable, not Trusting');
  expect(() => completeClusterRotation(trusting, clock)).toThrow('at stage Trusting, not Renewing');
  expect(() => endClusterRotation(renewing, clock)).toThrow('at stage Renewing, not Completing');
});

describe.each<Stage>(['first', 'trusting', 'renewing', 'completing'])('kubeconfigs revoked at stage %s', (stage) => {
  it('are no longer trusted by the API server, and the rotation continues', async () => {
    const before = STAGES[stage];
    const after = await revokeKubeconfigs(before, 'now', clock);

    for (const ca of splitPemBundle(trustBundle(before.users))) expect(clientTrustBundle(after)).not.toContain(ca);
    for (const ca of splitPemBundle(trustBundle(before.cluster))) expect(clientTrustBundle(after)).toContain(ca);
    expect({ ...after, users: before.users, rotation: before.rotation }).toEqual(before);
    expect(after.rotation).toMatchObject({ stage: before.rotation.stage, revocation: 'now' });
    const next = { trusting: switchSigners, renewing: completeClusterRotation, completing: endClusterRotation };
    const continueRotation = stage === 'first' ? undefined : next[stage as keyof typeof next];
    const later = continueRotation ? await continueRotation(after, clock) : after;
    expect(later.users.active.keyId).toBe(after.users.active.keyId);
  });
});

test('recognizes a cluster created by an earlier release, with users and tokens signed by its CA', async () => {
  const secret = await pkiSecret(identity, first);
  const {
    'users-ca.crt': _,
    'users-ca.key': __,
    'bootstrap-token.key': ___,
    'rotation.json': ____,
    ...data
  } = secret.data ?? {};
  const old = await parsePkiSecret({ ...secret, data });

  expect(hasUsersAuthority(old)).toBe(false);
  expect(hasUsersAuthority(first)).toBe(true);
  expect(old.users.active.keyId).toBe(first.cluster.active.keyId);
  expect(old.bootstrapTokenKey).toBe(first.cluster.active.privateKeyPem);
  expect(old.rotation).toEqual({ stage: 'Stable', since: '', generation: 0 });
});
