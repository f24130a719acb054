import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import { systemClock } from '@fairway/base/clock';
import { readNodeRequest } from '@fairway/cloud-provider/certificates/node-request';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { ambiguousRequests } from '@fairway/kube/pki/testing/ambiguous-requests';
import { dns, ip } from '@fairway/kube/pki/testing/crafted-request';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type RealControlPlane, startRealControlPlane } from './contract/kubernetes/real-control-plane.ts';

const NODE = 'system:node:demo-a';
/** The order of usages that signers before 1.27 require for any key. */
const USAGES = ['digital signature', 'key encipherment', 'server auth'];
const releases = findBinaries();
const NONE = { version: '(skipped: there is no kube-controller-manager at hand)' };

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'certificates that kube-controller-manager $version signs',
  (binaries) => {
    let plane: RealControlPlane;
    /** A node with a stolen credential, and a client with permission to approve requests. */
    let client: KubeClient;

    beforeAll(async () => {
      plane = await startRealControlPlane(binaries);
      const { url, pki } = plane;
      const certificate = await pki.clientCertificate(NODE, ['system:nodes', 'system:masters']);
      const connection = { server: url, certificateAuthority: pki.authority.certificatePem };
      client = new KubeClient(new HttpsTransport({ ...connection, clientCertificate: () => certificate }), {
        clock: systemClock,
      });
    });
    afterAll(async () => {
      client?.close();
      await plane?.[Symbol.asyncDispose]();
    });

    let serial = 0;
    function request(pem: string): Promise<CertificateSigningRequest> {
      return client.resource(CertificateSigningRequests).create({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: `csr-${serial++}` },
        spec: {
          request: Buffer.from(pem, 'latin1').toString('base64'),
          signerName: SIGNERS.kubeletServing,
          usages: USAGES,
        },
      });
    }

    const target = {
      node: NODE,
      ownNames: [dns('demo-a'), ip(10, 0, 0, 9)],
      foreignNode: 'system:node:demo-b',
      foreignNames: [dns('kubernetes.default.svc'), ip(10, 0, 0, 1)],
    };

    test('are never signed for ambiguous requests, because Fairway denies each one that the API server stores', async () => {
      const approved: string[] = [];
      let stored = 0;
      for (const { form, pem } of ambiguousRequests(target)) {
        const csr = await request(pem).catch((error: unknown) => {
          if (isApiError(error, 'Invalid')) return undefined;
          throw error;
        });
        if (csr === undefined) continue;
        stored++;
        if (!('kind' in readNodeRequest(csr))) approved.push(form);
      }
      expect(approved).toEqual([]);
      expect(stored).toBeGreaterThan(5);
    });

    test('have the subject and names that Fairway has read from the request', async () => {
      const csr = await request(
        await createCertificateRequest({
          keys: await generateKeyPair(),
          commonName: NODE,
          organizations: ['system:nodes'],
          dnsNames: ['demo-a'],
          ipAddresses: ['10.0.0.9'],
        }),
      );
      const read = readNodeRequest(csr);
      if ('kind' in read) throw new Error(read.reason);
      const { name = '' } = csr.metadata;
      const condition = { type: 'Approved', status: 'True', reason: 'FairwayNode', message: 'a node' };
      const requests = client.resource(CertificateSigningRequests);
      await requests.patch(
        name,
        { type: 'merge', value: { status: { conditions: [condition] } } },
        { subresource: 'approval' },
      );
      const signed = await eventuallyObject(requests, { name }, ({ status }) => status?.certificate !== undefined);

      const { commonName, organizations, dnsNames, ipAddresses } = read.request;
      const issued = certificateInfo(Buffer.from(signed.status?.certificate ?? '', 'base64').toString('latin1'));
      expect(issued).toMatchObject({ commonName, organizations, dnsNames, ipAddresses, usages: USAGES });
    });
  },
);
