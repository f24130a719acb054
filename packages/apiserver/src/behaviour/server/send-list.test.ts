import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ListText } from '../../server/list-text.ts';
import { sendList } from '../../server/send-list.ts';

const TENANTS = ['a', 'b', 'c', 'd', 'ü', '日', '🚢'];
/** More than a connection sends at once. */
const ITEM_COUNT = 40;
const ITEM_CHARS = 50_000;

const lists = new Map(TENANTS.map((text) => [text, listOf(text)]));

function listOf(text: string): ListText {
  const item = JSON.stringify({ of: text.repeat(ITEM_CHARS / text.length) });
  return new ListText(
    '{"items":[',
    Array.from({ length: ITEM_COUNT }, () => item),
    ']}',
  );
}

const server = createServer((request, response) => {
  const list = lists.get(decodeURIComponent(request.url?.slice(1) ?? '')) ?? listOf('?');
  response.sendDate = false;
  response.writeHead(200, { 'content-length': list.byteLength });
  sendList(response, list);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * The data that a client gets if it requests these lists concurrently. The client reads in pieces and with pauses,
 * until it has received all lists or disconnects.
 */
async function read(asked: readonly string[], maxBytes: number, random: () => number): Promise<Buffer> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(asked.map((text) => `GET /${encodeURIComponent(text)} HTTP/1.1\r\nhost: test\r\n\r\n`).join(''));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
    for (let turn = random() * 4; turn > 2; turn--) await setImmediate();
  }
  socket.destroy();
  return Buffer.concat(chunks);
}

function responseTo(asked: readonly string[]): Buffer {
  const responses = asked.map((text) => {
    const bytes = Buffer.from(lists.get(text)?.bytes() ?? []);
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), bytes]);
  });
  return Buffer.concat(responses);
}

test("clients that read slowly, request several lists at once or disconnect never get each other's data", async () => {
  const random = seededRandom(93);
  const clients = Array.from({ length: 24 }, (_, number) => {
    const asked = Array.from({ length: 1 + (number % 3) }, () => TENANTS[Math.floor(random() * TENANTS.length)] ?? 'a');
    const expected = responseTo(asked);
    const isFullRead = number % 2 === 0;
    return { asked, expected, maxBytes: isFullRead ? expected.length : random() * expected.length };
  });

  const received = await Promise.all(clients.map(({ asked, maxBytes }) => read(asked, maxBytes, random)));

  for (const [index, { expected, maxBytes }] of clients.entries()) {
    const bytes = received[index] ?? Buffer.alloc(0);
    expect(bytes.length).toBeGreaterThanOrEqual(maxBytes);
    expect(bytes.equals(expected.subarray(0, bytes.length))).toBe(true);
  }
});
