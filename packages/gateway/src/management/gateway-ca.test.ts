import { X509Certificate } from 'node:crypto';
import { FakeClock } from '@fairway/base/clock-fake';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { TrustStore } from '@fairway/kube/pki/trust-store';
import { describe, expect, test } from 'vitest';
import {
  createGatewayCa,
  type GatewayCa,
  gatewayCaSecret,
  parseGatewayCaSecret,
  renewGatewayCa,
} from './gateway-ca.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/** The serving certificate of a gateway with these CAs. */
async function shown({ authority }: GatewayCa, clock: FakeClock): Promise<Uint8Array> {
  const options = { commonName: 'fairway-gateway', usages: 'server', validityMs: 90 * DAY_MS, clock } as const;
  const { certificatePem } = await issueCertificate(authority.active, options);
  return new X509Certificate(certificatePem).raw;
}

function isTrusted(certificate: Uint8Array, by: GatewayCa): boolean {
  return new TrustStore(trustBundle(by.authority)).verify(certificate, 'server auth').trusted;
}

test('reads the CA back unchanged from its Secret', async () => {
  const gatewayCa = await createGatewayCa(new FakeClock());
  const read = await parseGatewayCaSecret(gatewayCaSecret(gatewayCa));

  expect(read.webhookKey).toBe(gatewayCa.webhookKey);
  expect(trustBundle(read.authority)).toBe(trustBundle(gatewayCa.authority));
});

test('generates a long webhook key, different each time', async () => {
  const [a, b] = [await createGatewayCa(new FakeClock()), await createGatewayCa(new FakeClock())];

  expect(Buffer.from(a.webhookKey, 'base64url')).toHaveLength(32);
  expect(a.webhookKey).not.toBe(b.webhookKey);
});

test.each(['ca.crt', 'ca.key', 'webhook-key'])('reports a Secret without %s, and how to fix it', async (entry) => {
  const secret = gatewayCaSecret(await createGatewayCa(new FakeClock()));
  const { [entry]: _removed, ...data } = secret.data ?? {};

  await expect(parseGatewayCaSecret({ ...secret, data })).rejects.toThrow(
    `Secret fairway-system/fairway-gateway, entry ${entry}: it is missing; delete the Secret to have it recreated`,
  );
});

describe('a CA near its expiry', () => {
  test('has a successor that is trusted before it starts signing; the old CA stays trusted until its last certificate has expired', async () => {
    const clock = new FakeClock();
    const first = await createGatewayCa(clock);
    const oldCertificate = await shown(first, clock);
    expect(await renewGatewayCa(first, clock)).toBeUndefined();

    await clock.advance(8 * YEAR_MS + DAY_MS);
    const announced = await renewGatewayCa(first, clock);
    expect(announced?.authority.active).toBe(first.authority.active);
    expect(await renewGatewayCa(announced as GatewayCa, clock)).toBeUndefined();
    expect(isTrusted(oldCertificate, announced as GatewayCa)).toBe(true);

    await clock.advance(DAY_MS);
    const switched = (await renewGatewayCa(announced as GatewayCa, clock)) as GatewayCa;
    const renewedCertificate = await shown(switched, clock);
    expect(isTrusted(renewedCertificate, announced as GatewayCa)).toBe(true);
    expect(isTrusted(renewedCertificate, first)).toBe(false);
    expect(isTrusted(oldCertificate, switched)).toBe(true);
    expect(await renewGatewayCa(switched, clock)).toBeUndefined();

    await clock.advance(2 * YEAR_MS);
    const completed = (await renewGatewayCa(switched, clock)) as GatewayCa;
    expect(completed.authority.standby).toBeUndefined();
    expect(isTrusted(renewedCertificate, completed)).toBe(true);
    expect(completed.webhookKey).toBe(first.webhookKey);
  });
});
