import { X509Certificate } from 'node:crypto';
import { FakeClock } from '@fairway/base/clock-fake';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { TrustStore } from '@fairway/kube/pki/trust-store';
import { describe, expect, test } from 'vitest';
import { createGatewayRoots, type GatewayRoots, parseRootsSecret, renewedRoots, rootsSecret } from './gateway-roots.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/** The serving certificate of a gateway with these CAs. */
async function shown({ authority }: GatewayRoots, clock: FakeClock): Promise<Uint8Array> {
  const options = { commonName: 'fairway-gateway', usages: 'server', validityMs: 90 * DAY_MS, clock } as const;
  const { certificatePem } = await issueCertificate(authority.active, options);
  return new X509Certificate(certificatePem).raw;
}

function isTrusted(certificate: Uint8Array, by: GatewayRoots): boolean {
  return new TrustStore(trustBundle(by.authority)).verify(certificate, 'server auth').trusted;
}

test('roots are unchanged when read back from their Secret', async () => {
  const roots = await createGatewayRoots(new FakeClock());
  const read = await parseRootsSecret(rootsSecret(roots));

  expect(read.webhookKey).toBe(roots.webhookKey);
  expect(trustBundle(read.authority)).toBe(trustBundle(roots.authority));
});

test('the key of the webhook is long, and different each time', async () => {
  const [a, b] = [await createGatewayRoots(new FakeClock()), await createGatewayRoots(new FakeClock())];

  expect(Buffer.from(a.webhookKey, 'base64url')).toHaveLength(32);
  expect(a.webhookKey).not.toBe(b.webhookKey);
});

test.each(['ca.crt', 'ca.key', 'webhook-key'])('a Secret without %s is reported, with what to do', async (entry) => {
  const secret = rootsSecret(await createGatewayRoots(new FakeClock()));
  const { [entry]: _gone, ...data } = secret.data ?? {};

  await expect(parseRootsSecret({ ...secret, data })).rejects.toThrow(
    `Secret fairway-system/fairway-gateway, entry ${entry}: it is missing; delete the Secret to have it recreated`,
  );
});

describe('an authority close to its expiry', () => {
  test('has a successor that is trusted before it signs, and both last as long as any certificate of the first', async () => {
    const clock = new FakeClock();
    const first = await createGatewayRoots(clock);
    const old = await shown(first, clock);
    expect(await renewedRoots(first, clock)).toBeUndefined();

    await clock.advance(8 * YEAR_MS + DAY_MS);
    const announced = await renewedRoots(first, clock);
    expect(announced?.authority.active).toBe(first.authority.active);
    expect(await renewedRoots(announced as GatewayRoots, clock)).toBeUndefined();
    expect(isTrusted(old, announced as GatewayRoots)).toBe(true);

    await clock.advance(DAY_MS);
    const switched = (await renewedRoots(announced as GatewayRoots, clock)) as GatewayRoots;
    const fresh = await shown(switched, clock);
    expect(isTrusted(fresh, announced as GatewayRoots)).toBe(true);
    expect(isTrusted(fresh, first)).toBe(false);
    expect(isTrusted(old, switched)).toBe(true);
    expect(await renewedRoots(switched, clock)).toBeUndefined();

    await clock.advance(2 * YEAR_MS);
    const completed = (await renewedRoots(switched, clock)) as GatewayRoots;
    expect(completed.authority.standby).toBeUndefined();
    expect(isTrusted(fresh, completed)).toBe(true);
    expect(completed.webhookKey).toBe(first.webhookKey);
  });
});
