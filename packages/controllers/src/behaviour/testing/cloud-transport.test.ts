import { FakeClock } from '@fairway/base/clock-fake';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { HttpRequest, HttpTransport } from '@fairway/openstack/http/transport';
import { UndiciTransport } from '@fairway/openstack/http/undici-transport';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CloudTransport } from '../../testing/cloud-transport.ts';

let cloud: Cloud;
let origin: string;
let transports: readonly HttpTransport[];
beforeEach(async () => {
  cloud = createCloud({ clock: new FakeClock(), random: seededRandom(1) });
  origin = await cloud.listen({ host: '127.0.0.1', port: 0 });
  const undiciTransport = new UndiciTransport({ tls: { verify: true }, connections: 1, connectTimeoutMs: 10_000 });
  transports = [undiciTransport, new CloudTransport(cloud)];
});
afterEach(async () => {
  for (const transport of transports) await transport.close();
  await cloud.close();
});

/** The result of a request with either transport, without parts that differ between requests. */
function outcomes(path: string, request: Partial<HttpRequest> = {}, signal = new AbortController().signal) {
  return Promise.all(
    transports.map(async (transport) => {
      try {
        const { status, headers, body } = await transport.send(
          { method: 'GET', url: `${origin}${path}`, headers: {}, ...request },
          signal,
        );
        return { status, type: headers['content-type'], length: headers['content-length'], body };
      } catch (error) {
        const { name, mayHaveArrived } = error as { name: string; mayHaveArrived?: boolean };
        return { name, mayHaveArrived };
      }
    }),
  );
}

describe('the transport without sockets behaves like the one with a socket', () => {
  test.each<{ what: string; path: string; request?: Partial<HttpRequest>; expected: object }>([
    {
      what: 'a resource without authentication',
      path: '/identity/v3',
      expected: { status: 200, type: 'application/json' },
    },
    { what: 'a request without a token', path: '/compute/v2.1/servers', expected: { status: 401 } },
    { what: 'a path that belongs to no service', path: '/elsewhere', expected: { status: 404, body: '' } },
    {
      what: 'a rejected body',
      path: '/identity/v3/auth/tokens',
      request: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"auth"' },
      expected: { status: 400 },
    },
  ])('$what', async ({ path, request, expected }) => {
    const [undiciTransport, without] = await outcomes(path, request);

    expect(undiciTransport).toMatchObject(expected);
    expect(without).toEqual(undiciTransport);
  });

  test('a connection that breaks', async () => {
    cloud.faults.add({ times: null, action: { kind: 'drop' } });

    const broken = { name: 'TransportError', mayHaveArrived: true };
    expect(await outcomes('/identity/v3')).toEqual([broken, broken]);
  });

  test('an aborted request', async () => {
    const pending = outcomes(
      '/identity/v3',
      {},
      AbortSignal.abort(Object.assign(new Error('too late'), { name: 'Late' })),
    );

    expect(await pending).toEqual([{ name: 'Late' }, { name: 'Late' }]);
  });

  test('a request that may no longer be sent', async () => {
    const abortBeforeWrite = () => {
      throw new Error('lost');
    };

    const before = cloud.calls.total;
    const [, without] = await outcomes('/identity/v3', { beforeWrite: abortBeforeWrite });

    expect(without).toMatchObject({ name: 'Error' });
    expect(cloud.calls.total).toBe(before);
  });
});
