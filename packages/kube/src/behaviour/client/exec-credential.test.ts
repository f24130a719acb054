import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { loadKubeConnection } from '../../client/kubeconfig-loader.ts';

const V1 = 'client.authentication.k8s.io/v1';

function kubeconfig(exec: object, cluster: object = {}, user: object = {}): string {
  return JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://c', 'certificate-authority-data': 'Y2E=', ...cluster } }],
    users: [{ name: 'u', user: { ...user, exec: { apiVersion: V1, command: 'plugin', ...exec } } }],
  });
}

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hasInput: boolean;
}

function plugin(results: readonly (object | string | Error)[]) {
  const runs: Run[] = [];
  const remaining = [...results];
  return {
    runs,
    run: (command: string, args: readonly string[], options: Pick<Run, 'env' | 'hasInput'>) => {
      runs.push({ command, args, ...options });
      const result = remaining.shift() ?? new Error('run too often');
      if (result instanceof Error) return Promise.reject(result);
      return Promise.resolve(typeof result === 'string' ? result : JSON.stringify(result));
    },
  };
}

const credential = (status: object, apiVersion = V1) => ({ kind: 'ExecCredential', apiVersion, status });

async function load(text: string, { run }: ReturnType<typeof plugin>, clock = new FakeClock(), isTerminal = false) {
  const options = { path: '/f/config', env: { A: '1' }, clock, isTerminal, run };
  return (await loadKubeConnection({ ...options, readFile: () => Promise.resolve(text) })).transport;
}

test('runs a plugin as kubectl does, and uses its token until it expires', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const exec = { args: ['auth', 'token'], env: [{ name: 'B', value: '2' }], provideClusterInfo: true };
  const fakePlugin = plugin([
    credential({ token: 'one', expirationTimestamp: '2026-01-01T01:00:00Z' }),
    credential({ token: 'two' }),
  ]);

  const { bearerToken } = await load(kubeconfig(exec), fakePlugin, clock);

  expect(await bearerToken?.()).toBe('one');
  expect(fakePlugin.runs).toHaveLength(1);
  const [{ command, args, env, hasInput } = { env: {} as Run['env'] } as Run] = fakePlugin.runs;
  expect({ command, args, hasInput }).toEqual({ command: 'plugin', args: ['auth', 'token'], hasInput: false });
  expect(env).toMatchObject({ A: '1', B: '2' });
  expect(JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '')).toEqual({
    kind: 'ExecCredential',
    apiVersion: V1,
    spec: { cluster: { server: 'https://c', 'certificate-authority-data': 'Y2E=' }, interactive: false },
  });
  await clock.advance(3_600_000);
  expect(await Promise.all([bearerToken?.(), bearerToken?.()])).toEqual(['two', 'two']);
  expect(fakePlugin.runs).toHaveLength(2);
});

test('accepts a certificate from a plugin', async () => {
  const fakePlugin = plugin([credential({ clientCertificateData: 'cert', clientKeyData: 'key' })]);

  const { clientCertificate, bearerToken } = await load(kubeconfig({}), fakePlugin);

  expect(await clientCertificate?.()).toEqual({ certificate: 'cert', privateKey: 'key' });
  expect(bearerToken).toBeUndefined();
});

test.each([
  { interactiveMode: 'Never', isTerminal: true, hasInput: false },
  { interactiveMode: 'IfAvailable', isTerminal: true, hasInput: true },
  { interactiveMode: 'IfAvailable', isTerminal: false, hasInput: false },
  { interactiveMode: 'Always', isTerminal: true, hasInput: true },
])(
  'honours interactiveMode $interactiveMode with the terminal flag $isTerminal',
  async ({ interactiveMode, isTerminal, hasInput }) => {
    const fakePlugin = plugin([credential({ token: 't' })]);

    await load(kubeconfig({ interactiveMode }), fakePlugin, new FakeClock(), isTerminal);

    expect(fakePlugin.runs[0]?.hasInput).toBe(hasInput);
  },
);

test.each([
  { command: 'plugin', found: 'plugin' },
  { command: './plugin', found: '/f/plugin' },
  { command: '/usr/bin/plugin', found: '/usr/bin/plugin' },
])('resolves the plugin command $command to $found', async ({ command, found }) => {
  const fakePlugin = plugin([credential({ token: 't' })]);

  await load(kubeconfig({ command }), fakePlugin);

  expect(fakePlugin.runs[0]?.command).toBe(found);
});

test('prefers a static token to the plugin', async () => {
  const { bearerToken } = await load(kubeconfig({}, {}, { token: 'written' }), plugin([]));

  expect(await bearerToken?.()).toBe('written');
});

test.each<{ result: object | string | Error; exec?: object; message: string }>([
  {
    result: Object.assign(new Error('spawn'), { code: 'ENOENT' }),
    exec: { installHint: 'get it' },
    message: 'plugin is not found\nget it',
  },
  { result: new Error('it ended with code 1'), message: 'exec: plugin failed: it ended with code 1' },
  { result: 'a token', message: 'did not print an ExecCredential' },
  {
    result: credential({ token: 't' }, 'client.authentication.k8s.io/v1beta1'),
    message: 'did not print an ExecCredential of',
  },
  { result: credential({}), message: 'printed neither a token nor a certificate' },
  { result: credential({ clientKeyData: 'k' }), message: 'without the other' },
  { result: {}, exec: { interactiveMode: 'Always' }, message: 'needs a terminal' },
])('reports the problem: $message', async ({ result, exec = {}, message }) => {
  await expect(load(kubeconfig(exec), plugin([result]))).rejects.toThrow(message);
});

test('does not run a plugin from a kubeconfig that was found automatically', async () => {
  const fakePlugin = plugin([credential({ token: 'one' })]);
  const readFile = () => Promise.resolve(kubeconfig({ command: './bin/plugin' }));
  const options = { path: '/w/.fairway/kubeconfig', mayRunPlugins: false, run: fakePlugin.run, readFile };

  await expect(loadKubeConnection(options)).rejects.toThrow(
    'user "u": exec: /w/.fairway/bin/plugin is not run because the kubeconfig was found automatically: to trust /w/.fairway/kubeconfig, pass it with --kubeconfig or KUBECONFIG',
  );
  expect(fakePlugin.runs).toEqual([]);
});

test('kills a plugin with endless output even if it ignores signals', async () => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => process.stdout.write('x'.repeat(100_000)), 1)";
  const exec = { command: process.execPath, args: ['-e', script] };
  const options = { path: '/f', env: {}, isTerminal: false, readFile: () => Promise.resolve(kubeconfig(exec)) };

  await expect(loadKubeConnection(options)).rejects.toThrow('failed: it printed more than 1 MiB');
});
