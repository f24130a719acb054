import { expect, test } from 'vitest';
import { judgeListeners } from './listeners.ts';
import { GatewaySpec } from './schemas.ts';

const http = (name: string, fields: object = {}) => ({ name, port: 80, protocol: 'HTTP', ...fields });

/** As `refused conflict kinds`, a listener each. */
function judged(...listeners: object[]): readonly string[] {
  return judgeListeners(GatewaySpec.parse({ listeners })).map(
    ({ refused, conflict, badKinds, kinds }) =>
      `${refused?.reason ?? '-'} ${conflict?.reason ?? '-'} ${badKinds?.reason ?? '-'} ${kinds.length}`,
  );
}

test.each<{ is: string; listeners: object[]; expected: string[] }>([
  { is: 'HTTP', listeners: [http('a')], expected: ['- - - 1'] },
  {
    is: 'HTTPS, which is not served yet',
    listeners: [{ name: 'a', port: 443, protocol: 'HTTPS' }],
    expected: ['UnsupportedProtocol - - 0'],
  },
  {
    is: 'a protocol of somebody else',
    listeners: [{ name: 'a', port: 80, protocol: 'acme.io/quic' }],
    expected: ['UnsupportedProtocol - - 0'],
  },
  {
    is: 'one port for two hostnames',
    listeners: [http('a', { hostname: 'a.example' }), http('b', { hostname: '*.example' })],
    expected: ['- - - 1', '- - - 1'],
  },
  {
    is: 'one hostname twice',
    listeners: [http('a'), http('b'), http('c', { port: 81 })],
    expected: ['- HostnameConflict - 1', '- HostnameConflict - 1', '- - - 1'],
  },
  {
    is: 'one port for two protocols',
    listeners: [http('a'), http('b', { protocol: 'HTTPS' })],
    expected: ['- ProtocolConflict - 1', 'UnsupportedProtocol ProtocolConflict - 0'],
  },
  {
    is: 'a port of UDP, which is another one',
    listeners: [http('a'), http('b', { protocol: 'UDP' })],
    expected: ['- - - 1', 'UnsupportedProtocol - - 0'],
  },
  {
    is: 'kinds of routes that are not all served',
    listeners: [http('a', { allowedRoutes: { kinds: [{ kind: 'HTTPRoute' }, { kind: 'GRPCRoute' }] } })],
    expected: ['- - InvalidRouteKinds 1'],
  },
  {
    is: 'a kind of another group',
    listeners: [http('a', { allowedRoutes: { kinds: [{ group: 'acme.io', kind: 'HTTPRoute' }] } })],
    expected: ['- - InvalidRouteKinds 0'],
  },
])('$is', ({ listeners, expected }) => {
  expect(judged(...listeners)).toEqual(expected);
});
