import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { inClusterConnection } from './in-cluster.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.3.0.1', KUBERNETES_SERVICE_PORT: '443' };

function files(content: Readonly<Record<string, string>>): (path: string) => Promise<string> {
  return (path) => {
    const text = content[path.split('/').at(-1) ?? ''];
    return text === undefined
      ? Promise.reject(Object.assign(new Error(`${path} is not there`), { code: 'ENOENT' }))
      : Promise.resolve(text);
  };
}

test("a pod connects to its own cluster's API with its ServiceAccount token", async () => {
  const connection = await inClusterConnection({ env, readFile: files({ token: 'secret\n', 'ca.crt': 'PEM' }) });

  expect(connection).toMatchObject({ server: 'https://10.3.0.1:443', certificateAuthority: 'PEM' });
  expect(await connection?.bearerToken?.()).toBe('secret');
});

test('an IPv6 address is put in brackets', async () => {
  const host = { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' };

  const connection = await inClusterConnection({ env: host, readFile: files({ token: 't', 'ca.crt': 'PEM' }) });

  expect(connection?.server).toBe('https://[fd00::1]:443');
});

test('a rotated token is reread after a minute', async () => {
  const clock = new FakeClock();
  const content = { token: 'first', 'ca.crt': 'PEM' };
  const connection = await inClusterConnection({ env, clock, readFile: files(content) });

  content.token = 'second';
  const before = await connection?.bearerToken?.();
  await clock.advance(60_000);

  expect(before).toBe('first');
  expect(await connection?.bearerToken?.()).toBe('second');
});

test.each([
  { reason: 'no service', given: {}, content: { token: 't', 'ca.crt': 'PEM' } },
  { reason: 'no token', given: env, content: { 'ca.crt': 'PEM' } },
])('returns no connection outside a cluster: $reason', async ({ given, content }) => {
  expect(await inClusterConnection({ env: given, readFile: files(content) })).toBeUndefined();
});
