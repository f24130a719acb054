import { X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { systemClock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { describe, expect, test } from 'vitest';
import { issueServingCertificate, validCertificate } from './serving-certificate.ts';

const NAME = 'metrics-server.kube-system.svc';
const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-23T06:00:00Z');

function clockAt(ms: number): Clock {
  return { ...systemClock, now: () => ms };
}

async function secretAt(ms: number, previous?: Secret): Promise<Secret> {
  return { metadata: { name: 's' }, data: { ...(await issueServingCertificate(NAME, previous, clockAt(ms))) } };
}

function pem(secret: Secret, entry: string): string {
  return Buffer.from(secret.data?.[entry] ?? '', 'base64').toString('utf8');
}

describe('a newly issued serving certificate', () => {
  test("is valid for its name and for server authentication, and is stored with its CA but without the CA's key", async () => {
    const secret = await secretAt(NOW_MS);
    const leaf = new X509Certificate(pem(secret, 'tls.crt'));
    const authority = new X509Certificate(pem(secret, 'ca.crt'));

    expect(leaf.subjectAltName).toBe(`DNS:${NAME}`);
    expect(leaf.ca).toBe(false);
    expect(leaf.verify(authority.publicKey)).toBe(true);
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(pem(secret, 'tls.key').match(/PRIVATE KEY-----/g)).toHaveLength(2);
  });

  test.each([
    { afterDays: 0, isKept: true },
    { afterDays: 243, isKept: true },
    { afterDays: 244, isKept: false },
    { afterDays: 366, isKept: false },
    { afterDays: -1, isKept: false },
  ])('is kept after $afterDays days: $isKept', async ({ afterDays, isKept }) => {
    const secret = await secretAt(NOW_MS);

    const current = validCertificate(secret, NAME, NOW_MS + afterDays * DAY_MS);

    expect(current).toEqual(isKept ? secret.data : undefined);
  });

  test('is stored with the previous CA, but with no older ones', async () => {
    const first = await secretAt(NOW_MS);
    const second = await secretAt(NOW_MS + 250 * DAY_MS, first);
    const third = await secretAt(NOW_MS + 500 * DAY_MS, second);
    const authorities = (secret: Secret) => splitPemBundle(pem(secret, 'ca.crt'));

    expect([first, second, third].map((secret) => authorities(secret).length)).toEqual([1, 2, 2]);
    expect(authorities(second)[1]).toBe(authorities(first)[0]);
    expect(authorities(third)[1]).toBe(authorities(second)[0]);
    expect(validCertificate(third, NAME, NOW_MS + 501 * DAY_MS)).toEqual(third.data);
  });
});

describe('a Secret that a tenant has changed', () => {
  test.each<{ what: string; change: (secret: Secret, other: Secret) => Record<string, string | undefined> }>([
    { what: 'nothing', change: () => ({ 'tls.crt': undefined, 'tls.key': undefined, 'ca.crt': undefined }) },
    { what: 'no authority', change: () => ({ 'ca.crt': undefined }) },
    { what: 'no certificate', change: () => ({ 'tls.crt': 'bm90aGluZw==' }) },
    { what: 'no key', change: () => ({ 'tls.key': 'bm90aGluZw==' }) },
    { what: 'the key of another certificate', change: (_, other) => ({ 'tls.key': other.data?.['tls.key'] }) },
    { what: 'the authority of another certificate', change: (_, other) => ({ 'ca.crt': other.data?.['ca.crt'] }) },
    { what: 'another certificate', change: (_, other) => ({ 'tls.crt': other.data?.['tls.crt'] }) },
    {
      what: 'a thousand authorities',
      change: (secret) => ({ 'ca.crt': Buffer.from(pem(secret, 'ca.crt').repeat(1000)).toString('base64') }),
    },
  ])('is replaced if it contains $what', async ({ change }) => {
    const secret = await secretAt(NOW_MS);
    const data = { ...secret.data, ...change(secret, await secretAt(NOW_MS)) } as Record<string, string>;
    const tampered: Secret = { ...secret, data };

    expect(validCertificate(tampered, NAME, NOW_MS)).toBeUndefined();
    const next = await secretAt(NOW_MS, tampered);
    expect(validCertificate(next, NAME, NOW_MS)).toEqual(next.data);
    expect(splitPemBundle(pem(next, 'ca.crt')).length).toBeLessThanOrEqual(2);
  });

  test('is not used if its certificate is for a different name', async () => {
    expect(validCertificate(await secretAt(NOW_MS), 'other.kube-system.svc', NOW_MS)).toBeUndefined();
  });
});
