import { beforeAll, expect, test } from 'vitest';
import { readCertificate, type TlsCertificate } from '../tls/certificate.ts';
import { tlsData } from '../tls/testing/tls-secret.ts';
import { validateListeners } from './listeners.ts';
import { GatewaySpec } from './schemas.ts';

const http = (name: string, fields: object = {}) => ({ name, port: 80, protocol: 'HTTP', ...fields });

const https = (name: string, fields: object = {}) => ({
  name,
  port: 443,
  protocol: 'HTTPS',
  tls: { certificateRefs: [{ name: 'shop' }] },
  ...fields,
});
const tls = (fields: object) => https('a', { tls: { certificateRefs: [{ name: 'shop' }], ...fields } });
const CLIENT_VALIDATION = {
  default: { validation: { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }] } },
};

let certificate: TlsCertificate;
beforeAll(async () => {
  certificate = readCertificate({ data: await tlsData('shop.example') }) as TlsCertificate;
});

function validate(spec: object) {
  return validateListeners(GatewaySpec.parse(spec), {
    namespace: 'default',
    grantsOf: () => [],
    certificateOf: () => certificate,
  });
}

/** The `refused conflict unresolved kinds` of each listener. */
function validated(...listeners: object[]): readonly string[] {
  return validate({ listeners }).map(
    ({ refused, conflict, unresolved, kinds }) =>
      `${refused?.reason ?? '-'} ${conflict?.reason ?? '-'} ${unresolved?.reason ?? '-'} ${kinds.length}`,
  );
}

test.each<{ is: string; listeners: object[]; expected: string[] }>([
  { is: 'HTTP', listeners: [http('a')], expected: ['- - - 1'] },
  { is: 'HTTPS with a certificate', listeners: [https('a')], expected: ['- - - 1'] },
  { is: 'HTTPS without tls', listeners: [https('a', { tls: undefined })], expected: ['- - InvalidCertificateRef 1'] },
  { is: 'TLS passthrough', listeners: [tls({ mode: 'Passthrough' })], expected: ['UnsupportedProtocol - - 1'] },
  {
    is: 'TLS options, which would have no effect',
    listeners: [tls({ options: { 'acme.io/tls': '1.3' } })],
    expected: ['Invalid - - 1'],
  },
  { is: 'empty TLS options', listeners: [tls({ options: {} })], expected: ['- - - 1'] },
  {
    is: 'client certificates in the former field',
    listeners: [tls({ frontendValidation: CLIENT_VALIDATION.default.validation })],
    expected: ['Invalid - - 1'],
  },
  {
    is: 'TLS settings of an HTTP listener',
    listeners: [http('a', { tls: { certificateRefs: [] } })],
    expected: ['Invalid - - 1'],
  },
  { is: 'protocol TLS', listeners: [https('a', { protocol: 'TLS' })], expected: ['UnsupportedProtocol - - 0'] },
  {
    is: 'a vendor-specific protocol',
    listeners: [{ name: 'a', port: 80, protocol: 'acme.io/quic' }],
    expected: ['UnsupportedProtocol - - 0'],
  },
  {
    is: 'one port for two hostnames',
    listeners: [http('a', { hostname: 'a.example' }), http('b', { hostname: '*.example' })],
    expected: ['- - - 1', '- - - 1'],
  },
  {
    is: 'the same hostname twice',
    listeners: [http('a'), http('b'), http('c', { port: 81 })],
    expected: ['- HostnameConflict - 1', '- HostnameConflict - 1', '- - - 1'],
  },
  {
    is: 'one port for two protocols',
    listeners: [http('a'), https('b', { port: 80 })],
    expected: ['- ProtocolConflict - 1', '- ProtocolConflict - 1'],
  },
  {
    is: 'one port for two protocols with certificates',
    listeners: [https('a'), https('b', { protocol: 'TLS', hostname: 'b.example' })],
    expected: ['- ProtocolConflict - 1', 'UnsupportedProtocol ProtocolConflict - 0'],
  },
  {
    is: 'the same HTTPS hostname twice',
    listeners: [https('a', { hostname: 'a.example' }), https('b', { hostname: 'a.example' })],
    expected: ['- HostnameConflict - 1', '- HostnameConflict - 1'],
  },
  {
    is: 'the same port over UDP, which is a separate one',
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
  expect(validated(...listeners)).toEqual(expected);
});

test('refuses an HTTPS listener that requires client certificates, because they would not be verified', () => {
  const reasons = (frontend: object) =>
    validate({ listeners: [http('a'), https('b')], tls: { frontend } }).map(({ refused }) => refused?.reason);

  expect(reasons(CLIENT_VALIDATION)).toEqual([undefined, 'Invalid']);
  expect(reasons({})).toEqual([undefined, undefined]);
});

test.each<{ is: string; listeners: object[]; expected: (string | undefined)[] }>([
  {
    is: 'HTTPS listeners on one port report overlapping hostnames',
    listeners: [
      https('a', { hostname: 'a.example' }),
      https('b', { hostname: '*.example' }),
      https('c', { hostname: 'c.org' }),
      https('d', { hostname: 'a.example', port: 8443 }),
    ],
    expected: ['b', 'a', undefined, undefined],
  },
  {
    is: 'a listener for every host overlaps with all others',
    listeners: [https('a'), https('b', { hostname: 'b.example' })],
    expected: ['b', 'a'],
  },
  {
    is: 'HTTP listeners do not overlap, since no connection is reused',
    listeners: [http('a'), http('b', { hostname: 'b.example' })],
    expected: [undefined, undefined],
  },
])('$is', ({ listeners, expected }) => {
  const overlaps = validate({ listeners }).map(({ overlap }) => overlap?.message.split(': ')[1]);

  expect(overlaps).toEqual(expected);
});
