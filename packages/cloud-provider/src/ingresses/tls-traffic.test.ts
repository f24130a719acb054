import { describe, expect, test } from 'vitest';
import { EVERY_PATH, type Route } from '../l7/route.ts';
import { type HttpHandling, isEncrypted, plainTraffic, type TlsSpec } from './tls-traffic.ts';

const WEB = { service: 'web', port: 80 };
const OTHER = { service: 'other', port: 80 };

function route(host: string): Route {
  return { host, path: EVERY_PATH, backend: WEB };
}

function tls(hosts: readonly string[], http: HttpHandling = 'redirect'): TlsSpec {
  return { secrets: ['shop'], hosts, http };
}

/**
 * The behavior of port 80, as `host > HTTPS`, `host > web`, `host > dropped`, and `> other` for the remaining hosts.
 */
function describeTraffic(hosts: readonly string[], balancerSpec: TlsSpec | undefined): readonly string[] | undefined {
  const plain = plainTraffic({ routes: hosts.map(route), defaultBackend: OTHER, tls: balancerSpec });
  if (plain === undefined) return undefined;
  return [
    ...plain.redirectedHosts.map((host) => `${host} > HTTPS`),
    ...plain.routes.map(({ host, isBlocked }) => `${host || '*'} > ${isBlocked ? 'dropped' : 'web'}`),
    ...(plain.defaultBackend ? ['> other'] : []),
  ];
}

describe('port 80', () => {
  test.each<{ is: string; hosts: string[]; tls: TlsSpec | undefined; expected: string[] | undefined }>([
    { is: 'without TLS', hosts: ['a.test'], tls: undefined, expected: ['a.test > web', '> other'] },
    { is: 'a host with TLS', hosts: ['a.test'], tls: tls(['a.test']), expected: ['a.test > HTTPS', '> other'] },
    {
      is: 'a host with TLS next to one without',
      hosts: ['a.test', 'b.test'],
      tls: tls(['a.test']),
      expected: ['a.test > HTTPS', 'b.test > web', '> other'],
    },
    {
      is: 'a host with TLS and no rule, which the default backend serves',
      hosts: ['b.test'],
      tls: tls(['a.test']),
      expected: ['a.test > HTTPS', 'b.test > web', '> other'],
    },
    {
      is: 'a host that a TLS wildcard covers',
      hosts: ['a.shop.test'],
      tls: tls(['*.shop.test']),
      expected: ['a.shop.test > HTTPS', '*.shop.test > dropped', '> other'],
    },
    {
      is: 'a wildcard covers only one label',
      hosts: ['a.b.shop.test'],
      tls: tls(['*.shop.test']),
      expected: ['a.b.shop.test > web', '*.shop.test > dropped', '> other'],
    },
    {
      is: 'a wildcard is dropped before rules for every host',
      hosts: ['*.shop.test', ''],
      tls: tls(['*.shop.test']),
      expected: ['*.shop.test > dropped', '* > web', '> other'],
    },
    { is: 'all hosts with TLS', hosts: ['a.test', '*.b.test', ''], tls: tls(['']), expected: ['a.test > HTTPS'] },
    {
      is: 'all hosts, also served over HTTP',
      hosts: ['a.test', ''],
      tls: tls([''], 'serve'),
      expected: ['a.test > web', '* > web', '> other'],
    },
    { is: 'nothing at all', hosts: ['a.test', 'b.test'], tls: tls(['a.test'], 'none'), expected: undefined },
  ])('$is', ({ hosts, tls: balancerSpec, expected }) => {
    expect(describeTraffic(hosts, balancerSpec)).toEqual(expected);
  });

  test('never puts an invalid host name in a redirect', () => {
    expect(describeTraffic(['a b'], tls(['']))).toEqual([]);
    expect(isEncrypted('a b', tls(['']))).toBe(true);
  });
});
