import { request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import { RawClient } from '../../server/raw-client.ts';

const maps = '/api/v1/namespaces/default/configmaps';

interface RawReply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

describe('over HTTPS', () => {
  let fixture: HttpsFixture;
  let transport: HttpsTransport;

  beforeAll(async () => {
    fixture = await startHttpsServer();
    await fixture.test.namespace();
    transport = new HttpsTransport({
      server: fixture.listener.url,
      certificateAuthority: fixture.certificateAuthority,
      bearerToken: () => fixture.token,
    });
  });

  afterAll(async () => {
    transport.close();
    await fixture[Symbol.asyncDispose]();
  });

  function raw(method: string, path: string, headers: Record<string, string>, body?: string): Promise<RawReply> {
    const { certificateAuthority: ca, listener } = fixture;
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: listener.port, ca, method, path, headers, agent: false };
      const request = httpsRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  it('responds as it does in-process, with an audit ID', async () => {
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { x: 'ü' } });
    const created = await transport.request({ method: 'POST', path: maps, body });
    const read = await transport.request({ method: 'GET', path: `${maps}/a` });

    expect([created.status, read.status]).toEqual([201, 200]);
    expect(await created.text()).toBe(await read.text());
    expect(read.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends large lists unchanged, even concurrently and while their objects change', async () => {
    await fixture.test.namespace('large');
    const large = '/api/v1/namespaces/large/configmaps';
    const texts = Array.from({ length: 6 }, (_, index) => `${index}ü日🚢`.repeat(20_000));
    for (const [index, x] of texts.entries()) {
      await fixture.test.call('POST', large, { metadata: { name: `large-${index}` }, data: { x } });
    }
    const headers = { authorization: `Bearer ${fixture.token}` };
    const sendRequests = () => Promise.all(Array.from({ length: 4 }, () => raw('GET', large, headers)));

    const first = sendRequests();
    const change = fixture.test.call('DELETE', `${large}/large-0`);
    const replies = [...(await first), ...(await sendRequests())];
    await change;
    const head = await raw('HEAD', large, headers);

    for (const { headers: sent, body } of replies) {
      expect(sent['content-length']).toBe(String(body.length));
      const { items } = JSON.parse(body.toString()) as { items: { data: { x: string } }[] };
      expect(items.map(({ data }) => data.x)).toEqual(texts.slice(-items.length));
    }
    expect(head.headers['content-length']).toBe(replies.at(-1)?.headers['content-length']);
    expect(head.body).toHaveLength(0);
  });

  it('closes the connection after a list request whose body is too long to skip', async () => {
    const client = await RawClient.open(fixture.listener.port, fixture.certificateAuthority);

    client.send('GET', '/api/v1/namespaces/large/configmaps', {
      authorization: `Bearer ${fixture.token}`,
      'content-length': 1_000_000_000,
    });
    await client.until('"kind":"ConfigMapList"');

    expect(client.received).toContain('Connection: close\r\n');
    await client.close();
  });

  it('streams a running watch', async () => {
    const abort = new AbortController();
    const path = `${maps}?watch=1&fieldSelector=metadata.name%3Dstreamed`;
    const response = await transport.request({ method: 'GET', path, signal: abort.signal });
    const lines = response.lines()[Symbol.asyncIterator]();

    await transport.request({ method: 'POST', path: maps, body: '{"metadata":{"name":"streamed"}}' });
    const first = (await lines.next()) as { value: string };
    await transport.request({ method: 'DELETE', path: `${maps}/streamed` });
    const second = (await lines.next()) as { value: string };

    expect(JSON.parse(first.value)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'streamed' } } });
    expect(JSON.parse(second.value)).toMatchObject({ type: 'DELETED' });
    abort.abort();
  });

  it.each([
    ['a request without credentials', {}],
    ['an invalid token', { authorization: 'Bearer wrong' }],
  ])('responds 401 to %s', async (_, headers) => {
    const { status, body } = await raw('GET', maps, headers);

    expect(status).toBe(401);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
  });

  it('sends each line of a watch as one chunk, and accepts the next request once the watch has ended', async () => {
    const { listener, certificateAuthority, token } = fixture;
    await transport.request({
      method: 'POST',
      path: maps,
      body: JSON.stringify({ metadata: { name: 'z' }, data: { x: 'ü' } }),
    });
    const client = await RawClient.open(listener.port, certificateAuthority);
    const headers = { authorization: `Bearer ${token}` };

    client.send('GET', `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=z`, headers);
    await client.until('\r\n0\r\n\r\n');

    const [, head = '', length = '', rest = ''] = /^(.*?)\r\n\r\n([0-9a-f]+)\r\n(.*)$/s.exec(client.received) ?? [];
    const line = Buffer.from(rest.slice(0, Number.parseInt(length, 16)), 'latin1').toString();
    expect(head.toLowerCase()).toContain('transfer-encoding: chunked');
    expect(JSON.parse(line)).toMatchObject({ type: 'ADDED', object: { data: { x: 'ü' } } });
    expect(rest.slice(Number.parseInt(length, 16))).toBe('\r\n0\r\n\r\n');
    client.send('GET', '/version', headers);
    await client.until('"gitVersion"');
    await client.close();
  });

  it('sends the lines of a watch unchunked to an HTTP/1.0 client', async () => {
    const { listener, certificateAuthority, token } = fixture;
    const client = await RawClient.open(listener.port, certificateAuthority);
    const path = `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=z`;

    client.socket.write(`GET ${path} HTTP/1.0\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await client.closed;

    const [, line = ''] = client.received.split('\r\n\r\n');
    expect(JSON.parse(line)).toMatchObject({ type: 'ADDED' });
  });

  it('rejects a body larger than 3 MiB', async () => {
    const headers = { authorization: `Bearer ${fixture.token}` };
    const body = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } });

    const { status } = await raw('POST', maps, headers, body);

    expect(status).toBe(413);
  });

  it.each([
    ['application/vnd.kubernetes.protobuf', 406, 'application/json'],
    ['application/vnd.kubernetes.protobuf,application/json', 200, 'application/json'],
    ['application/yaml', 200, 'application/yaml'],
  ])('responds to Accept: %s with %d', async (accept, status, contentType) => {
    const reply = await raw('GET', maps, { authorization: `Bearer ${fixture.token}`, accept });

    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe(contentType);
  });

  it('compresses a large list for clients that accept gzip', async () => {
    await transport.request({
      method: 'POST',
      path: maps,
      body: JSON.stringify({ metadata: { name: 'large' }, data: { x: 'x'.repeat(200_000) } }),
    });

    const headers = { authorization: `Bearer ${fixture.token}`, 'accept-encoding': 'gzip' };
    const reply = await raw('GET', maps, headers);

    expect(reply.headers['content-encoding']).toBe('gzip');
    expect(reply.body.length).toBeLessThan(10_000);
    expect(JSON.parse(gunzipSync(reply.body).toString())).toMatchObject({ kind: 'ConfigMapList' });
  });

  it.each(['gzip;q=0', 'x-gzip-more'])('does not compress for clients that accept %s', async (accepted) => {
    await transport.request({
      method: 'POST',
      path: maps,
      body: JSON.stringify({ metadata: { name: 'large' }, data: { x: 'x'.repeat(200_000) } }),
    });

    const headers = { authorization: `Bearer ${fixture.token}`, 'accept-encoding': accepted };
    const reply = await raw('GET', maps, headers);

    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(reply.body.toString())).toMatchObject({ kind: 'ConfigMapList' });
  });
});
