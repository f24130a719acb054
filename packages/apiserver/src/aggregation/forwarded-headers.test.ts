import { expect, test } from 'vitest';
import { forwardedHeaders, responseHeaders } from './forwarded-headers.ts';
import { userHeaders } from './front-proxy.ts';

const ORIGIN = { auditId: 'a-1', peer: '192.0.2.1', via: 'here' };

test("forwards only a request's end-to-end headers, without headers that identify the client", () => {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': '5',
    host: 'here',
    connection: 'Keep-Alive, X-Hop',
    'x-hop': '1',
    te: 'trailers',
    authorization: 'Bearer x',
    cookie: 'x',
    'impersonate-user': 'x',
    'x-remote-user': 'x',
    x_remote_group: 'system:masters',
    'x-remote-extra-a': 'x',
    'x-forwarded-for': '198.51.100.1',
    via: '1.1 there',
    'audit-id': 'a-0',
  };

  expect(forwardedHeaders(headers, ORIGIN)).toEqual({
    accept: 'application/json',
    'content-type': 'application/json',
    'x-forwarded-for': '198.51.100.1, 192.0.2.1',
    via: '1.1 there, 1.1 here',
    'audit-id': 'a-1',
  });
});

test.each([
  { protocols: 'v5.channel.k8s.io, v4.channel.k8s.io', kept: 'v5.channel.k8s.io, v4.channel.k8s.io' },
  { protocols: 'base64url.bearer.authorization.k8s.io.eHg, v4.channel.k8s.io', kept: 'v4.channel.k8s.io' },
  { protocols: 'v4.channel.k8s.io,base64url.bearer.authorization.k8s.io.eHg', kept: 'v4.channel.k8s.io' },
  { protocols: 'base64url.bearer.authorization.k8s.io.eHg', kept: undefined },
])('does not forward a token in the WebSocket subprotocols: $protocols', ({ protocols, kept }) => {
  const headers = forwardedHeaders({ 'sec-websocket-protocol': protocols }, ORIGIN);

  expect(headers['sec-websocket-protocol']).toBe(kept);
});

test('returns only headers meant for the client', () => {
  const headers = {
    'content-type': 'application/json',
    'content-length': '5',
    'set-cookie': ['a=b'],
    'transfer-encoding': 'chunked',
    connection: 'close, x-hop',
    'x-hop': '1',
    warning: '299 - "x"',
    'audit-id': 'a-0',
  };

  expect(responseHeaders(headers)).toEqual({
    'content-type': 'application/json',
    'content-length': '5',
    warning: '299 - "x"',
  });
});

test.each([
  { reason: 'only a user name', user: { username: 'a', groups: [] }, headers: { 'X-Remote-User': 'a' } },
  {
    reason: 'all fields of a user',
    user: { username: 'a', uid: 'u', groups: ['g', 'h'], extra: { 'Some/Key': ['1', '2'] } },
    headers: {
      'X-Remote-User': 'a',
      'X-Remote-Uid': 'u',
      'X-Remote-Group': ['g', 'h'],
      'X-Remote-Extra-Some%2FKey': ['1', '2'],
    },
  },
  {
    reason: 'non-ASCII characters',
    user: { username: 'ü', groups: [], extra: { 'ü%': ['ü'] } },
    headers: { 'X-Remote-User': 'Ã¼', 'X-Remote-Extra-%C3%BC%25': ['Ã¼'] },
  },
])('$reason', ({ user, headers }) => {
  expect(userHeaders(user)).toEqual(headers);
});
