import { formatTime } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { conflict } from '@fairway/kube/object/api-error';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { describe, expect, test } from 'vitest';
import { certificateCleaner, certificateRequestExpiryMs } from './certificate-cleaner.ts';

const HOUR_MS = 3_600_000;
const clock = new FakeClock();
const START_MS = clock.now();
const at = (hours: number) => formatTime(START_MS + hours * HOUR_MS);

function csr(status?: CertificateSigningRequest['status']): CertificateSigningRequest {
  return {
    metadata: { name: 'a', uid: 'uid-1', creationTimestamp: at(0) },
    spec: { request: '', signerName: 'example.com/a' },
    ...(status && { status }),
  };
}

const condition = (type: string, hours: number) => ({ type, status: 'True', lastUpdateTime: at(hours) });

describe('certificateRequestExpiryMs, in hours after creation', () => {
  test.each<[string, CertificateSigningRequest['status'], number]>([
    ['pending: a day', undefined, 24],
    ['denied: an hour later', { conditions: [condition('Denied', 2)] }, 3],
    ['failed: an hour later', { conditions: [condition('Approved', 1), condition('Failed', 2)] }, 3],
    ['approved and signed: an hour later', { conditions: [condition('Approved', 2)], certificate: 'eA==' }, 3],
    ['approved, waiting for its signer: a day later', { conditions: [condition('Approved', 2)] }, 26],
    ['with only a foreign condition: never', { conditions: [condition('Seen', 2)] }, Number.POSITIVE_INFINITY],
  ])('%s', (_name, status, hours) => {
    expect((certificateRequestExpiryMs(csr(status)) - START_MS) / HOUR_MS).toBe(hours);
  });

  test('expires a signed request no later than its certificate', async () => {
    const authority = await createCertificateAuthority({ commonName: 'ca', clock, validityMs: 100 * HOUR_MS });
    const options = { commonName: 'a', usages: 'client', clock } as const;
    const { certificatePem } = await issueCertificate(authority, { ...options, validityMs: HOUR_MS / 2 });
    const certificate = Buffer.from(certificatePem).toString('base64');
    const status = { conditions: [condition('Approved', 0)], certificate };
    expect((certificateRequestExpiryMs(csr(status)) - START_MS) / HOUR_MS).toBe(0.5);
  });
});

test('the cleaner requeues at expiry, deletes with preconditions, and ignores conflicts', async () => {
  const deleted: unknown[] = [];
  let response: Promise<void> = Promise.resolve();
  const reconcile = certificateCleaner({
    requests: { get: () => csr() },
    client: {
      delete: (name, options) => {
        deleted.push([name, options?.uid]);
        return response;
      },
    },
    clock,
  });
  const { signal } = new AbortController();

  expect(await reconcile('a', { signal })).toEqual({ requeueAfterMs: 24 * HOUR_MS });
  await clock.advance(24 * HOUR_MS);
  expect(await reconcile('a', { signal })).toEqual({});
  response = Promise.reject(conflict({ resource: 'certificatesigningrequests', name: 'a' }, 'another uid'));
  expect(await reconcile('a', { signal })).toEqual({});
  expect(deleted).toEqual([
    ['a', 'uid-1'],
    ['a', 'uid-1'],
  ]);
});
