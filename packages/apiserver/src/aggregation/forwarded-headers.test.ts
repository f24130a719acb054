import { expect, test } from 'vitest';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { userHeaders } from './front-proxy.ts';

const FROM = { auditId: 'a-1', peer: '192.0.2.1', via: 'here' };

test('requests keep what is meant for the other end, and nothing that says who the client is', () => {
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

  expect(forwardedHeaders(headers, FROM)).toEqual({
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
])('a token among the protocols of a WebSocket stays here: $protocols', ({ protocols, kept }) => {
  const headers = forwardedHeaders({ 'sec-websocket-protocol': protocols }, FROM);

  expect(headers['sec-websocket-protocol']).toBe(kept);
});

test('answers keep what is meant for the client', () => {
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

  expect(answeredHeaders(headers)).toEqual({
    'content-type': 'application/json',
    'content-length': '5',
    warning: '299 - "x"',
  });
});

test.each([
  { reason: 'a name alone', user: { username: 'a', groups: [] }, headers: { 'X-Remote-User': 'a' } },
  {
    reason: 'all that is known of a user',
    user: { username: 'a', uid: 'u', groups: ['g', 'h'], extra: { 'Some/Key': ['1', '2'] } },
    headers: {
      'X-Remote-User': 'a',
      'X-Remote-Uid': 'u',
      'X-Remote-Group': ['g', 'h'],
      'X-Remote-Extra-Some%2FKey': ['1', '2'],
    },
  },
  {
    reason: 'what is no ASCII',
    user: { username: 'ü', groups: [], extra: { 'ü%': ['ü'] } },
    headers: { 'X-Remote-User': 'Ã¼', 'X-Remote-Extra-%C3%BC%25': ['Ã¼'] },
  },
])('$reason', ({ user, headers }) => {
  expect(userHeaders(user)).toEqual(headers);
});
