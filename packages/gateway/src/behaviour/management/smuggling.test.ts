import type { IncomingMessage, ServerResponse } from 'node:http';
import { LAST_REQUEST, sendRaw, statusesOf } from '@fairway/kube/testing/raw-requests';
import { afterEach, describe, expect, test } from 'vitest';
import { type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const MALLORY = { username: 'mallory', groups: ['devs'] };
/**
 * A request that must never be smuggled through, because the gateway's own credentials are those of an administrator.
 */
const SMUGGLED_REQUEST = [
  'DELETE /api/v1/namespaces/kube-system HTTP/1.1',
  'Host: fairway',
  'Authorization: Bearer the-gateway',
  'Impersonate-User: root',
  'Impersonate-Group: system:masters',
  'Content-Length: 0',
  '',
  '',
].join('\r\n');
const CHUNKED = `${SMUGGLED_REQUEST.length.toString(16)}\r\n${SMUGGLED_REQUEST}\r\n0\r\n\r\n`;

const running: ScriptedFrontEnd[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each[Symbol.asyncDispose]();
});

interface ParsedRequests {
  readonly method: string | undefined;
  readonly user: string | undefined;
  readonly body: string;
}

/** The requests that an API server parsed from a client's bytes. */
async function attack(...parts: readonly string[]) {
  const understood: ParsedRequests[] = [];
  const frontEnd = await startScriptedFrontEnd(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    understood.push({ method: request.method, user: request.headersDistinct['impersonate-user']?.join(), body });
    response.end('{}');
  }, MALLORY);
  running.push(frontEnd);
  const answered = await sendRaw(frontEnd.server, ...parts);
  const bytes = (await frontEnd.requestArrived()).join('');
  return { statuses: statusesOf(answered), answered, understood, bytes };
}

function head(start: string, ...headers: readonly string[]): string {
  return [`${start} HTTP/1.1`, 'Host: fairway', ...headers, '', ''].join('\r\n');
}

interface Case {
  readonly what: string;
  readonly parts: readonly string[];
  /** The gateway's responses, up to the last request if the connection is kept alive. */
  readonly statuses: readonly number[];
}

const OWN_BODY = '{"spec":{}}';
const LENGTH_HEADER = `Content-Length: ${SMUGGLED_REQUEST.length}`;
const CHUNKS = 'Transfer-Encoding: chunked';

describe('refuses a body where none is allowed', () => {
  const cases: readonly Case[] = [
    { what: 'a chunked GET', parts: [head(`GET ${CLUSTERS}`, CHUNKS) + CHUNKED], statuses: [400, 200] },
    {
      what: 'a GET with a length',
      parts: [head(`GET ${CLUSTERS}`, LENGTH_HEADER) + SMUGGLED_REQUEST],
      statuses: [400, 200],
    },
    { what: 'a chunked HEAD', parts: [head(`HEAD ${CLUSTERS}`, CHUNKS) + CHUNKED], statuses: [400, 200] },
    { what: 'a chunked OPTIONS', parts: [head(`OPTIONS ${CLUSTERS}`, CHUNKS) + CHUNKED], statuses: [405, 200] },
    {
      what: 'a TRACE with a length',
      parts: [head(`TRACE ${CLUSTERS}`, LENGTH_HEADER) + SMUGGLED_REQUEST],
      statuses: [405, 200],
    },
    { what: 'a chunked PROPFIND', parts: [head(`PROPFIND ${CLUSTERS}`, CHUNKS) + CHUNKED], statuses: [405, 200] },
    {
      what: 'a GET that a client declares with Expect and sends anyway',
      parts: [head(`GET ${CLUSTERS}`, 'Expect: 100-continue', LENGTH_HEADER), SMUGGLED_REQUEST],
      statuses: [100, 400],
    },
    {
      what: 'an upgrade with a length',
      parts: [head(`GET ${CLUSTERS}`, 'Connection: upgrade', 'Upgrade: websocket', LENGTH_HEADER), SMUGGLED_REQUEST],
      statuses: [400],
    },
  ];

  test.each(cases)('$what', async ({ parts, statuses }) => {
    const result = await attack(...parts, LAST_REQUEST);

    // If the body was incomplete, the connection closes after the rejection.
    expect(statuses).toEqual(expect.arrayContaining(result.statuses));
    expect(result.statuses).toContain(statuses.find((status) => status >= 400));
    expect(result.understood).toEqual([]);
    expect(result.bytes).toBe('');
  });

  test('does not wait for the remainder of a refused body', async () => {
    const { answered, bytes } = await attack(head(`GET ${CLUSTERS}`, CHUNKS), '5\r\nhello\r\n');

    expect(answered).toContain('a GET with a body is not supported');
    expect(answered.toLowerCase()).toContain('connection: close');
    expect(bytes).toBe('');
  });
});

describe('does not let a Connection header list headers that the gateway relies on', () => {
  test.each([
    ['GET', 'content-length', LENGTH_HEADER, SMUGGLED_REQUEST],
    ['DELETE', 'content-length', LENGTH_HEADER, SMUGGLED_REQUEST],
    ['DELETE', 'close, Content-Length', LENGTH_HEADER, SMUGGLED_REQUEST],
    ['POST', 'content-length', LENGTH_HEADER, SMUGGLED_REQUEST],
    ['POST', 'transfer-encoding', CHUNKS, CHUNKED],
    ['GET', 'host', 'X-A: b', ''],
    ['GET', 'authorization', 'Authorization: Bearer mine', ''],
    ['GET', 'impersonate-user', 'Impersonate-User: mallory', ''],
    ['GET', 'X-Remote-User', 'X-Remote-User: root', ''],
    ['GET', 'x-forwarded-for', 'X-Forwarded-For: 192.0.2.1', ''],
    ['GET', 'audit-id', 'Audit-Id: mine', ''],
  ])('%s, Connection: %s', async (method, connection, header, body) => {
    const result = await attack(
      head(`${method} ${CLUSTERS}/a`, `Connection: ${connection}`, header) + body,
      LAST_REQUEST,
    );

    expect(result.statuses[0]).toBe(400);
    expect(result.answered).toContain('the header Connection lists');
    expect(result.understood).toEqual([]);
    expect(result.bytes).toBe('');
  });
});

describe('forwards a legitimate body, whatever it contains', () => {
  test.each([
    ['POST', [LENGTH_HEADER], SMUGGLED_REQUEST],
    ['PUT', [LENGTH_HEADER], SMUGGLED_REQUEST],
    ['PATCH', [LENGTH_HEADER], SMUGGLED_REQUEST],
    ['DELETE', [LENGTH_HEADER], SMUGGLED_REQUEST],
    ['POST', [CHUNKS], CHUNKED],
    ['PATCH', [CHUNKS], CHUNKED],
    ['DELETE', [CHUNKS], CHUNKED],
    ['DELETE', ['transfer-encoding: CHUNKED'], CHUNKED],
    ['DELETE', [CHUNKS, 'Connection: upgrade', 'Upgrade: SPDY/3.1'], CHUNKED],
  ])('%s %s', async (method, headers, body) => {
    const { statuses, understood } = await attack(head(`${method} ${CLUSTERS}/a`, ...headers) + body, LAST_REQUEST);

    expect(statuses[0]).toBe(200);
    expect(understood).toEqual([{ method, user: 'mallory', body: SMUGGLED_REQUEST }]);
  });

  test('frames a body itself, only once', async () => {
    const { bytes } = await attack(
      head(`POST ${CLUSTERS}`, CHUNKS, 'Trailer: Impersonate-User') +
        `3;a=b\r\n{"s\r\n8\r\npec":{}}\r\n0\r\nImpersonate-User: root\r\n\r\n` +
        head(`PUT ${CLUSTERS}/a`, `Content-Length: \t${OWN_BODY.length} `) +
        OWN_BODY +
        head(`DELETE ${CLUSTERS}/a`) +
        head(`GET ${CLUSTERS}`, 'Content-Length: 0'),
      LAST_REQUEST,
    );
    const frames = [...bytes.matchAll(/(?:content-length|transfer-encoding|trailer): .*(?=\r)/gi)].map(String);

    const lengthHeader = `content-length: ${OWN_BODY.length}`;
    expect(frames.sort()).toEqual(['content-length: 0', lengthHeader, lengthHeader]);
    expect(bytes).not.toContain('root');
  });

  test('frames a body that arrives late', async () => {
    const { statuses, understood } = await attack(
      head(`POST ${CLUSTERS}`, 'Expect: 100-continue', `Content-Length: ${OWN_BODY.length}`),
      OWN_BODY,
      LAST_REQUEST,
    );

    expect(statuses).toEqual([100, 200, 200]);
    expect(understood).toEqual([{ method: 'POST', user: 'mallory', body: OWN_BODY }]);
  });
});

describe('refuses requests that two parsers could read differently', () => {
  const post = (...headers: readonly string[]) => head(`POST ${CLUSTERS}`, ...headers);
  test.each<[string, string]>([
    ['a length before chunks', post('Content-Length: 4', CHUNKS) + CHUNKED],
    ['chunks before a length', post(CHUNKS, 'Content-Length: 4') + CHUNKED],
    [
      'two lengths',
      post('Content-Length: 2', `Content-Length: ${2 + SMUGGLED_REQUEST.length}`) + `{}${SMUGGLED_REQUEST}`,
    ],
    ['the same length twice', `${post('Content-Length: 2', 'Content-Length: 2')}{}`],
    ['a list of lengths', `${post('Content-Length: 2, 2')}{}`],
    ['a length with a sign', `${post('Content-Length: +2')}{}`],
    ['a negative length', `${post('Content-Length: -1')}{}`],
    ['a hexadecimal length', `${post('Content-Length: 0x2')}{}`],
    ['a length of 2^64 + 2', `${post('Content-Length: 18446744073709551618')}{}`],
    ['an encoding that is not chunked', post('Transfer-Encoding: xchunked') + CHUNKED],
    ['an encoding around the chunks', post('Transfer-Encoding: gzip, chunked') + CHUNKED],
    ['chunked encoding twice', post(CHUNKS, CHUNKS) + CHUNKED],
    ['chunked encoding that is not last', post('Transfer-Encoding: chunked, identity') + CHUNKED],
    ['white space before the colon', post('Transfer-Encoding : chunked') + CHUNKED],
    ['unusual white space after the colon', post('Transfer-Encoding: \x0bchunked') + CHUNKED],
    ['an encoding on a folded line', post('Transfer-Encoding:\r\n chunked') + CHUNKED],
    ['a folded line', `${post('X-A: b\r\n Impersonate-User: root', 'Content-Length: 2')}{}`],
    ['a header after a bare LF', `${post('X-A: b\nImpersonate-User: root', 'Content-Length: 2')}{}`],
    ['a header after a bare CR', `${post('X-A: b\rImpersonate-User: root', 'Content-Length: 2')}{}`],
    ['a header after a NUL', `${post('X-A: b\0Impersonate-User: root', 'Content-Length: 2')}{}`],
    ['a head with bare LFs', `GET ${CLUSTERS} HTTP/1.1\nHost: fairway\n\n`],
    ['chunks with bare LFs', `${post(CHUNKS)}2\n{}\n0\n\n`],
    ['a chunk extension with a bare LF', `${post(CHUNKS)}2;\n{}\r\n0\r\n\r\n`],
    ['white space after the size of a chunk', `${post(CHUNKS)}2 \r\n{}\r\n0\r\n\r\n`],
    ['a chunk of 2^60 bytes', `${post(CHUNKS)}10000000000000002\r\n{}\r\n0\r\n\r\n`],
    ['a length after the chunks', `${post(CHUNKS)}2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n`],
    ['two hosts', post('Host: elsewhere')],
    ['two credentials', post('Authorization: Bearer a', 'Authorization: Bearer b')],
    [
      'two content types',
      `${post('Content-Type: application/json', 'Content-Type: text/yaml', 'Content-Length: 2')}{}`,
    ],
    ['no host', `GET ${CLUSTERS} HTTP/1.1\r\n\r\n`],
    ['HTTP/0.9', `GET ${CLUSTERS}\r\n\r\n`],
    ['a version that does not exist', `GET ${CLUSTERS} HTTP/1.2\r\nHost: fairway\r\n\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method in lower case', head(`get ${CLUSTERS}`)],
    ['an absolute target', head(`GET https://elsewhere${CLUSTERS}`)],
    ['an asterisk as the target', head('OPTIONS *')],
    ['a target with parent segments', head(`GET ${CLUSTERS}/../../../api/v1/namespaces/kube-system/secrets`)],
    ['an encoded slash', head(`GET ${CLUSTERS}/a%2fb`)],
    ['an encoded line break', head(`GET ${CLUSTERS}/a%0d%0aImpersonate-User:%20root`)],
    ['a fragment', head(`GET ${CLUSTERS}#/a`)],
    ['white space in the target', head(`GET ${CLUSTERS} HTTP/1.1 x`)],
    ['non-ASCII bytes in the target', head(`GET ${CLUSTERS}/\xc3\xbc`)],
  ])('%s', async (_, bytes) => {
    const result = await attack(bytes, LAST_REQUEST);

    expect(result.statuses[0]).toBeGreaterThanOrEqual(400);
    expect(result.statuses[0]).toBeLessThan(500);
    expect(result.understood).toEqual([]);
    expect(result.bytes).toBe('');
  });
});

describe('a connection that the client expects to become a tunnel', () => {
  test.each([
    ['an upgrade', head(`GET ${CLUSTERS}?watch=1`, 'Connection: upgrade', 'Upgrade: websocket')],
    [
      'h2c',
      `${head(`POST ${CLUSTERS}`, 'Connection: upgrade, http2-settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk', 'Content-Length: 2')}{}`,
    ],
    ['exec', head('GET /api/v1/namespaces/red/pods/a/exec?command=sh', 'Connection: upgrade', 'Upgrade: SPDY/3.1')],
    [
      'port-forward',
      head('POST /api/v1/namespaces/red/pods/a/portforward', 'Connection: upgrade', 'Upgrade: SPDY/3.1'),
    ],
  ])("stays HTTP: the bytes after %s are the client's own next request", async (_, request) => {
    const { statuses, understood, bytes } = await attack(request, SMUGGLED_REQUEST, LAST_REQUEST);

    expect(statuses.at(1)).toBe(403);
    expect(understood.filter(({ user, body }) => user !== 'mallory' || body.includes('Impersonate'))).toEqual([]);
    expect(bytes.toLowerCase()).not.toMatch(/^(?:upgrade|http2-settings):/m);
    expect(bytes).not.toContain('root');
  });

  test('is closed after CONNECT', async () => {
    const { answered, bytes } = await attack(
      'CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: fairway\r\n\r\n',
      SMUGGLED_REQUEST,
    );

    expect([answered, bytes]).toEqual(['', '']);
  });
});

describe('pipelined requests', () => {
  test('are each checked and processed', async () => {
    const pipelinedRequests = [
      head(`GET ${CLUSTERS}`),
      `${head(`POST ${CLUSTERS}`, `Content-Length: ${OWN_BODY.length}`)}${OWN_BODY}`,
      head('GET /api/v1/namespaces/kube-system/secrets'),
      `\r\n${head(`GET ${CLUSTERS}/a`, 'Impersonate_User: root')}`,
    ];
    const { statuses, understood } = await attack(pipelinedRequests.join(''), LAST_REQUEST);

    expect(statuses).toEqual([200, 200, 403, 200, 200]);
    expect(understood.map(({ method, user }) => `${method} ${user}`).sort()).toEqual([
      'GET mallory',
      'GET mallory',
      'POST mallory',
    ]);
  });

  test.each([
    ['with a length', `Content-Length: ${OWN_BODY.length}\r\n\r\n${OWN_BODY}`, OWN_BODY],
    ['in chunks', `${CHUNKS}\r\n\r\n${CHUNKED}`, SMUGGLED_REQUEST],
  ])('end after an HTTP/1.0 request %s', async (_, rest, body) => {
    const { statuses, understood } = await attack(`POST ${CLUSTERS} HTTP/1.0\r\nHost: fairway\r\n${rest}`);

    expect(statuses).toEqual([200]);
    expect(understood).toEqual([{ method: 'POST', user: 'mallory', body }]);
  });
});
