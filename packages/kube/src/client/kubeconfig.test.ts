import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, test } from 'vitest';
import { parseKubeconfig, renderKubeconfig } from './kubeconfig.ts';
import { loadKubeConnection } from './kubeconfig-loader.ts';

/** Reads from a map of files, as a file system would. */
function files(contents: Readonly<Record<string, string>>) {
  return (path: string): Promise<string> => {
    const text = contents[path];
    if (text !== undefined) return Promise.resolve(text);
    return Promise.reject(Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' }));
  };
}

const b64 = (text: string) => Buffer.from(text).toString('base64');

function config(user: object, cluster: object = {}) {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://c:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'ns' } }],
    'current-context': 'x',
  });
}

describe('a kubeconfig', () => {
  test('is parsed back as it was rendered', async () => {
    const text = renderKubeconfig({
      name: 'demo',
      server: 'https://demo:6443',
      certificateAuthority: 'CA',
      namespace: 'default',
      clientCertificate: { certificate: 'CERT', privateKey: 'KEY' },
    });
    const connection = await loadKubeConnection({ path: '/f', readFile: files({ '/f': text }) });

    expect(connection).toMatchObject({ context: 'demo', cluster: 'demo', namespace: 'default' });
    expect(connection.transport).toMatchObject({ server: 'https://demo:6443', certificateAuthority: 'CA' });
    expect(await connection.transport.clientCertificate?.()).toEqual({ certificate: 'CERT', privateKey: 'KEY' });
    expect(parseKubeconfig(text)['current-context']).toBe('demo');
  });

  test('merges a list of files: the first definition wins, missing files are ignored', async () => {
    const readFile = files({
      '/a': 'current-context: x\nclusters: [{name: c, cluster: {server: "https://from-a"}}]',
      '/b/config': config({ tokenFile: 'token' }),
      '/b/token': 'secret\n',
    });
    const connection = await loadKubeConnection({ env: { KUBECONFIG: '/none:/a::/b/config' }, readFile });

    expect(connection.transport.server).toBe('https://from-a');
    expect(await connection.transport.bearerToken?.()).toBe('secret');
  });

  test('defaults to ~/.kube/config', async () => {
    const readFile = files({ '/home/me/.kube/config': config({ token: 't' }) });
    const { transport } = await loadKubeConnection({ env: { HOME: '/home/me' }, readFile });
    expect(await transport.bearerToken?.()).toBe('t');
  });

  test('rereads credential files, and keeps the last value while they are missing', async () => {
    const clock = new FakeClock();
    const contents: Record<string, string> = { '/f': config({ tokenFile: '/token' }), '/token': 'one' };
    const { transport } = await loadKubeConnection({ path: '/f', clock, readFile: (path) => files(contents)(path) });
    const token = () => transport.bearerToken?.();

    contents['/token'] = 'two';
    expect(await token()).toBe('one');
    await clock.advance(60_000);
    expect(await token()).toBe('two');
    delete contents['/token'];
    await clock.advance(60_000);
    expect(await token()).toBe('two');
  });

  test.each`
    wrong                             | text                                                                             | context      | message
    ${'a context that is not there'}  | ${config({})}                                                                    | ${'y'}       | ${'has no context "y" (it has: x)'}
    ${'no current context'}           | ${'{}'}                                                                          | ${undefined} | ${'no current-context'}
    ${'a plugin of no version'}       | ${config({ exec: { command: 'aws' } })}                                          | ${undefined} | ${'user "u": exec is not valid'}
    ${'a plugin of an old version'}   | ${config({ exec: { command: 'aws', apiVersion: 'x/v1alpha1' } })}                | ${undefined} | ${'exec: apiVersion x/v1alpha1 is not one of'}
    ${'impersonation'}                | ${config({ as: 'admin' })}                                                       | ${undefined} | ${'user "u": as is not supported'}
    ${'a password'}                   | ${config({ username: 'admin' })}                                                 | ${undefined} | ${'username is not supported'}
    ${'plain HTTP'}                   | ${config({}, { server: 'http://c' })}                                            | ${undefined} | ${'must be an https:// URL'}
    ${'a proxy'}                      | ${config({}, { 'proxy-url': 'http://p' })}                                       | ${undefined} | ${'proxy-url is not supported'}
    ${'a certificate without key'}    | ${config({ 'client-certificate-data': b64('x') })}                               | ${undefined} | ${'must be given together'}
    ${'a file that is not there'}     | ${config({ 'client-certificate': 'c.pem', 'client-key': 'k.pem' })}              | ${undefined} | ${'cannot read /c.pem'}
    ${'a cluster that is not there'}  | ${'{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}]}'} | ${undefined} | ${'has no cluster "c" (it has: none)'}
    ${'a list where a map should be'} | ${'[]'}                                                                          | ${undefined} | ${'/f is not a kubeconfig'}
  `('is refused for $wrong', async ({ text, context, message }) => {
    await expect(loadKubeConnection({ path: '/f', context, readFile: files({ '/f': text }) })).rejects.toThrow(message);
  });
});
