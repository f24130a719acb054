import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, expect, test } from 'vitest';
import { MissingObjectError } from '../../off-host/object-store.ts';
import { S3Store } from '../../off-host/s3-store.ts';

let server: Server | undefined;
let store: S3Store | undefined;
afterEach(async () => {
  await store?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

async function storeOn(respond: RequestListener): Promise<S3Store> {
  server = createServer(respond);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  store = new S3Store({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'bucket',
    region: 'region',
    prefix: 'fairway/',
    credentials: () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
    clock: new FakeClock(Date.UTC(2026, 10, 22, 12)),
  });
  return store;
}

test('signs each request together with its checksum and the time', async () => {
  const seen: (string | undefined)[] = [];
  const opened = await storeOn((request, response) => {
    const { 'x-amz-content-sha256': checksum, 'x-amz-date': date } = request.headers;
    seen.push(request.method, request.url, String(checksum), String(date));
    request.resume().once('end', () => response.end());
  });
  await opened.put('a b', Buffer.from('x'));

  expect(seen).toEqual([
    'PUT',
    '/bucket/fairway/a%20b',
    '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
    '20261122T120000Z',
  ]);
});

test('reads every page of a listing', async () => {
  const opened = await storeOn((request, response) => {
    const token = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token');
    const page =
      token === null
        ? ['fairway/b', 'true', '<NextContinuationToken>t</NextContinuationToken>']
        : ['fairway/a%2Bc', 'false', ''];
    response.end(
      `<ListBucketResult><Contents><Key>${page[0]}</Key><Size>1</Size></Contents><IsTruncated>${page[1]}</IsTruncated>${page[2]}</ListBucketResult>`,
    );
  });

  expect(await opened.list('')).toEqual([
    { key: 'a+c', sizeBytes: 1 },
    { key: 'b', sizeBytes: 1 },
  ]);
});

test.each([
  {
    reason: 'its error message',
    status: 403,
    body: '<Error><Code>AccessDenied</Code><Message>no way</Message></Error>',
    message: /answers 403 \(AccessDenied: no way\)/,
  },
  { reason: 'the status of an empty response', status: 503, body: '', message: /answers 503$/ },
  {
    reason: 'a response that is not a list',
    status: 200,
    body: '<html>Welcome</html>',
    message: 'not a list of objects',
  },
])('reports a failing store with $reason', async ({ status, body, message }) => {
  const opened = await storeOn((_, response) => response.writeHead(status).end(body));

  await expect(opened.list('')).rejects.toThrow(message);
});

test('distinguishes a missing object from a missing bucket', async () => {
  let code = 'NoSuchKey';
  const opened = await storeOn((_, response) => response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`));

  await expect(opened.get('a')).rejects.toThrow(MissingObjectError);
  await expect(opened.remove('a')).resolves.toBeUndefined();
  code = 'NoSuchBucket';
  await expect(opened.get('a')).rejects.toThrow('NoSuchBucket');
});

test('does not read an endless response to its end', async () => {
  const opened = await storeOn((_, response) => {
    const chunk = Buffer.alloc(2 ** 20);
    const more = () => {
      while (response.write(chunk));
    };
    response.on('drain', more);
    more();
  });

  await expect(opened.list('')).rejects.toThrow('exceeds');
});

test('reports an unreachable store with its address', async () => {
  const opened = await storeOn((_, response) => response.destroy());

  await expect(opened.get('a')).rejects.toThrow(/^s3:\/\/bucket\/fairway\/ at http.* does not respond/);
});
