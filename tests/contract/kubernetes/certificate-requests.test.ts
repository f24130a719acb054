import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { beforeEach, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPROVED = { type: 'Approved', status: 'True', reason: 'Test' };

describeServers('certificate signing requests', (server, target) => {
  let path: string;
  let serial = 0;

  beforeEach(async () => {
    const request = await createCertificateRequest({
      commonName: 'example',
      organizations: [],
      keys: await generateKeyPair(),
    });
    const name = `contract-${serial++}`;
    path = `${REQUESTS}/${name}`;
    await server().raw('POST', REQUESTS, {
      body: {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          // The request is not signed.
          signerName: 'example.com/contract',
          usages: ['digital signature'],
        },
      },
    });
  });

  function patch(part: string, body: object, headers: Readonly<Record<string, string>> = MERGE) {
    return server().raw('PATCH', `${path}${part}`, { headers, body });
  }

  it('are approved by a patch of the approval, which may include metadata', async () => {
    const { status, json } = await patch('/approval', {
      metadata: { annotations: { by: 'contract' } },
      status: { conditions: [APPROVED] },
    });

    expect(status).toBe(200);
    expect(json.metadata.annotations).toEqual({ by: 'contract' });
    expect(json.status['conditions']).toMatchObject([
      { ...APPROVED, lastTransitionTime: expect.any(String) as string },
    ]);
  });

  it.each([
    ['a JSON patch', 'application/json-patch+json', [{ op: 'add', path: '/status/conditions', value: [APPROVED] }]],
    ['a strategic patch', 'application/strategic-merge-patch+json', { status: { conditions: [APPROVED] } }],
  ])('are approved by %s', async (_, type, body) => {
    const { status, json } = await patch('/approval', body, { 'content-type': type });

    expect(status).toBe(200);
    expect(json.status['conditions']).toMatchObject([APPROVED]);
  });

  it('keep their spec in any approval', async () => {
    const { json } = await patch('/approval', {
      spec: { usages: ['server auth'] },
      status: { conditions: [APPROVED] },
    });

    expect(json.spec['usages']).toEqual(['digital signature']);
  });

  it('refuse a patch of an approval if it is based on an older version', async () => {
    const { json } = await server().raw('GET', path);
    await patch('', { metadata: { labels: { a: 'b' } } });
    const { resourceVersion } = json.metadata;
    const { status } = await patch('/approval', { metadata: { resourceVersion }, status: { conditions: [APPROVED] } });

    expect(status).toBe(409);
  });

  it('refuse invalid labels in an approval', async () => {
    const labels = { 'not a key': 'x' };
    expect((await patch('/approval', { metadata: { labels }, status: { conditions: [APPROVED] } })).status).toBe(422);
  });

  // Before 1.22 a different field is used.
  it.skipIf(target.minor < 22)('get the time of a status condition from the server', async () => {
    const { status, json } = await patch('/status', {
      status: { conditions: [{ type: 'Other', status: 'True', reason: 'Test' }] },
    });

    expect(status).toBe(200);
    expect(json.status['conditions']).toMatchObject([
      { type: 'Other', lastUpdateTime: expect.any(String) as string, lastTransitionTime: expect.any(String) as string },
    ]);
  });

  it('are listed in discovery with the verbs of their subresources', async () => {
    const { json } = await server().raw('GET', '/apis/certificates.k8s.io/v1');
    const resources = json['resources'] as { name: string; verbs: string[] }[];
    const verbsOf = (name: string) => resources.find((resource) => resource.name === name)?.verbs.sort();

    expect(verbsOf('certificatesigningrequests/approval')).toEqual(['get', 'patch', 'update']);
    expect(verbsOf('certificatesigningrequests/status')).toEqual(['get', 'patch', 'update']);
  });
});
