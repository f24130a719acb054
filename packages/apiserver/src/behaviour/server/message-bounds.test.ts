import { LAST_REQUEST, sendRaw, statusesOf } from '@fairway/kube/testing/raw-requests';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let fixture: HttpsFixture;
beforeAll(async () => {
  fixture = await startHttpsServer();
  await fixture.test.namespace();
});
afterAll(() => fixture[Symbol.asyncDispose]());

function head(start: string, ...headers: readonly string[]): string {
  return [`${start} HTTP/1.1`, 'Host: fairway', `Authorization: Bearer ${fixture.token}`, ...headers, '', ''].join(
    '\r\n',
  );
}

/** Bytes that would be executed as a request if the server parsed them as one. */
function inner(): string {
  return head(`DELETE ${MAPS}/kept`, 'Content-Length: 0');
}

function chunked(): string {
  return `${inner().length.toString(16)}\r\n${inner()}\r\n0\r\n\r\n`;
}

test.each<[string, () => string]>([
  ['chunked GET', () => head(`GET ${MAPS}`, 'Transfer-Encoding: chunked') + chunked()],
  ['GET with Content-Length', () => head(`GET ${MAPS}`, `Content-Length: ${inner().length}`) + inner()],
  [
    'DELETE whose Connection header names Content-Length',
    () => head(`DELETE ${MAPS}/gone`, 'Connection: content-length', `Content-Length: ${inner().length}`) + inner(),
  ],
  ['chunked DELETE', () => head(`DELETE ${MAPS}/gone`, 'Transfer-Encoding: chunked') + chunked()],
  ['chunked OPTIONS', () => head(`OPTIONS ${MAPS}`, 'Transfer-Encoding: chunked') + chunked()],
  [
    'chunked upgrade request',
    () => head(`GET ${MAPS}`, 'Connection: upgrade', 'Upgrade: websocket', 'Transfer-Encoding: chunked') + chunked(),
  ],
])('the body of a %s is not parsed as a request', async (_, bytes) => {
  await fixture.test.call('POST', MAPS, { metadata: { name: 'kept' } });
  const response = await sendRaw(fixture.listener, bytes(), LAST_REQUEST);
  const { status } = await fixture.test.call('GET', `${MAPS}/kept`);

  expect(statusesOf(response).length).toBeLessThanOrEqual(2);
  expect(status).toBe(200);
});
