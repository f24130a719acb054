import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import { ambiguousRequests } from '@fairway/kube/pki/testing/ambiguous-requests';
import { dns, ip } from '@fairway/kube/pki/testing/crafted-request';
import { describe, expect, test } from 'vitest';
import { readNodeRequest } from './node-request.ts';

const target = {
  node: 'system:node:demo-a',
  ownNames: [dns('demo-a'), ip(10, 0, 0, 9)],
  foreignNode: 'system:node:demo-b',
  foreignNames: [dns('kubernetes.default.svc'), ip(10, 0, 0, 1)],
};

describe.each([
  ['the stolen credential of a node', SIGNERS.kubeletServing, 'system:node:demo-a', 'server auth'],
  ['a stolen bootstrap token', SIGNERS.kubeletClient, 'system:bootstrap:abcdef', 'client auth'],
])('with %s', (_, signerName, username, usage) => {
  test.each(ambiguousRequests(target))(
    'denies a CSR that parsers read differently, with the reason: $form',
    ({ pem }) => {
      const request = Buffer.from(pem, 'latin1').toString('base64');
      const groups = ['system:nodes', 'system:bootstrappers'];
      const csr = { metadata: { name: 'a' }, spec: { request, signerName, username, groups, usages: [usage] } };

      expect(readNodeRequest(csr)).toEqual({
        kind: 'deny',
        reason: expect.stringMatching(/^the certificate request cannot be read: ./),
      });
    },
  );
});
