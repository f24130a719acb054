import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { trimRequest } from './cached-requests.ts';
import { certificateRequestExpiryMs } from './certificate-cleaner.ts';

const MEGABYTE = 'x'.repeat(2 ** 20);
const TIME = '2026-11-01T10:00:00Z';

function csr(...types: string[]): CertificateSigningRequest {
  return {
    metadata: { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: TIME, annotations: { large: MEGABYTE } },
    spec: { request: MEGABYTE, signerName: 'example.com/a', username: MEGABYTE, extra: { large: [MEGABYTE] } },
    status: {
      conditions: types.map((type) => ({ type, status: 'True', message: MEGABYTE, lastUpdateTime: TIME })),
    },
  };
}

test.each([[[]], [['Denied']], [['Approved', 'Failed']]])(
  'reduces a CSR with the conditions %j to a few bytes, and keeps its expiry',
  (types) => {
    const trimmed = trimRequest(csr(...types));

    expect(JSON.stringify(trimmed).length).toBeLessThan(400);
    expect(certificateRequestExpiryMs(trimmed)).toBe(certificateRequestExpiryMs(csr(...types)));
  },
);

test('keeps a CSR that is ready for signing unchanged', () => {
  expect(trimRequest(csr('Approved'))).toEqual(csr('Approved'));
});
