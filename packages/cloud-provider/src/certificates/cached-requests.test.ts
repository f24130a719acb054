import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { trimRequest } from './cached-requests.ts';
import { readNodeRequest } from './node-request.ts';

const MEGABYTE = 1024 * 1024;

function csr(request: string, signerName: string = SIGNERS.kubeletClient, decided?: string): CertificateSigningRequest {
  return {
    metadata: {
      name: 'a',
      uid: 'uid',
      resourceVersion: '7',
      annotations: { large: 'x'.repeat(MEGABYTE) },
      labels: { a: 'b' },
    },
    spec: {
      request,
      signerName,
      usages: ['client auth'],
      username: 'system:node:a',
      groups: ['system:nodes', ...Array.from({ length: 1000 }, (_, index) => `group-${index}`)],
      extra: { large: ['x'.repeat(MEGABYTE)] },
    },
    status: {
      certificate: 'x'.repeat(MEGABYTE),
      conditions: [{ type: decided ?? 'Other', status: 'True', message: 'x'.repeat(MEGABYTE) }],
    },
  };
}

test.each([
  ['of a kubelet', csr('eA=='), 'eA=='],
  ['that is too large', csr('x'.repeat(MEGABYTE)), ''],
  ['for another signer', csr('eA==', 'example.com/a'), ''],
  ['denied', csr('eA==', SIGNERS.kubeletServing, 'Denied'), ''],
])('stores only a few KiB of a CSR %s in the cache', (_, large, request) => {
  const trimmed = trimRequest(large);
  expect(trimmed.spec.request).toBe(request);
  expect(JSON.stringify(trimmed).length).toBeLessThan(2048);
});

test('denies a CSR that was too large for the cache, and reports that as the reason', () => {
  const denial = { kind: 'deny', reason: 'the certificate request is larger than 16384 B' };
  expect(readNodeRequest(trimRequest(csr('x'.repeat(MEGABYTE))))).toEqual(denial);
});

test.each([
  ['system:node:a', ['system:authenticated']],
  ['system:node:a', ['system:bootstrappers']],
  ['system:bootstrap:abcdef', ['system:nodes']],
])('treats %s in the groups %j as neither a node nor a bootstrap token', (username, groups) => {
  const { metadata, spec } = csr('eA==');
  expect(readNodeRequest({ metadata, spec: { ...spec, username, groups } })).toMatchObject({
    kind: 'deny',
    reason: expect.stringMatching(/is neither a node nor the holder/),
  });
});
