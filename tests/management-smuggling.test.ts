import { RawClient } from '@fairway/apiserver/server/raw-client';
import { Upstream } from '@fairway/gateway/management/upstream';
import { startFrontEnd, type TestFrontEnd } from '@fairway/gateway/testing/test-front';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { LAST_REQUEST, sendRaw, statusesOf } from '@fairway/kube/testing/raw-requests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type RealControlPlane, startRealControlPlane } from './contract/kubernetes/real-control-plane.ts';

const releases = findBinaries();
const NONE = { version: '(skipped: there is no kube-apiserver at hand)', minor: 0 };
const SECRETS = '/api/v1/namespaces/default/secrets';

/** A namespace that only an administrator can create. */
function smuggledRequest(name: string): string {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return [
    'POST /api/v1/namespaces HTTP/1.1',
    'Host: fairway',
    'Content-Type: application/json',
    'Impersonate-User: root',
    'Impersonate-Group: system:masters',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

function request(start: string, body: string, ...headers: readonly string[]): string {
  return [`${start} HTTP/1.1`, 'Host: fairway', ...headers, '', body].join('\r\n');
}

function inChunks(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'an administrator’s gateway in front of kube-apiserver $version',
  (binaries) => {
    const stack = new AsyncDisposableStack();
    let plane: RealControlPlane;
    let admin: KubeClient;
    let upstream: Upstream;
    let front: TestFrontEnd;

    beforeAll(async () => {
      plane = stack.use(await startRealControlPlane(binaries));
      const certificate = await plane.pki.clientCertificate('gateway', ['system:masters']);
      const connection = {
        server: plane.url,
        certificateAuthority: plane.pki.authority.certificatePem,
        clientCertificate: () => certificate,
      };
      admin = new KubeClient(new HttpsTransport(connection));
      stack.defer(() => admin.close());
      upstream = new Upstream(connection);
      stack.defer(() => upstream.close());
      front = stack.use(await startFrontEnd(upstream, { username: 'mallory', groups: [] }));
    });
    afterAll(() => stack.disposeAsync());

    test.each<[string, (inner: string) => string]>([
      ['GET in chunks', (inner) => request(`GET ${SECRETS}`, inChunks(inner), 'Transfer-Encoding: chunked')],
      ['DELETE in chunks', (inner) => request(`DELETE ${SECRETS}/a`, inChunks(inner), 'Transfer-Encoding: chunked')],
      ['OPTIONS in chunks', (inner) => request(`OPTIONS ${SECRETS}`, inChunks(inner), 'Transfer-Encoding: chunked')],
      [
        'GET whose length ends with the connection',
        (inner) => request(`GET ${SECRETS}`, inner, 'Connection: content-length', `Content-Length: ${inner.length}`),
      ],
      [
        'DELETE whose length ends with the connection',
        (inner) =>
          request(`DELETE ${SECRETS}/a`, inner, 'Connection: content-length', `Content-Length: ${inner.length}`),
      ],
      ['GET with a length', (inner) => request(`GET ${SECRETS}`, inner, `Content-Length: ${inner.length}`)],
      ['POST with a length', (inner) => request(`POST ${SECRETS}`, inner, `Content-Length: ${inner.length}`)],
    ])('does not forward a second request with %s', async (what, attack) => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      const responseData = await sendRaw(front.server, attack(smuggledRequest(name)), LAST_REQUEST);
      // The connection is reused: leftover bytes would be handled first.
      const next = await sendRaw(front.server, request(`GET ${SECRETS}`, ''), LAST_REQUEST);
      const { items } = await admin.resource(Namespaces).list();

      expect(statusesOf(responseData)[0]).toBeGreaterThanOrEqual(400);
      expect(statusesOf(next)).toEqual([403, 200]);
      expect(items.map(({ metadata }) => metadata.name)).not.toContain(name);
    });

    test.each(['watch=true', 'watch', 'watch=yes', 'watch=0;&watch=1', 'w%61tch=TRUE'])(
      'treats ?%s as a watch like kube-apiserver',
      async (query) => {
        await using entryPoint = await startFrontEnd(upstream, { username: 'root', groups: ['system:masters'] });
        const { port } = new URL(entryPoint.server.url);
        const client = await RawClient.open(Number(port), entryPoint.server.authority.certificatePem);
        client.send('GET', `/api/v1/namespaces?${query}`);
        await client.until('"ADDED"');

        expect([entryPoint.traffic.inUse('watches'), entryPoint.traffic.inUse('readingRequests')]).toEqual([1, 0]);
        await client.close();
      },
    );

    test('forwards a request’s valid parts', async () => {
      const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const own = inChunks(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }));
      const responseData = await sendRaw(front.server, request(`POST ${SECRETS}`, own, ...headers), LAST_REQUEST);

      expect(statusesOf(responseData)).toEqual([403, 200]);
      expect(responseData).toContain('User \\"mallory\\" cannot create resource \\"secrets\\"');
    });
  },
);
