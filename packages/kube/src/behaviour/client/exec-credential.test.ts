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

function plugin(answers: readonly (object | string | Error)[]) {
  const runs: Run[] = [];
  const left = [...answers];
  return {
    runs,
    run: (command: string, args: readonly string[], options: Pick<Run, 'env' | 'hasInput'>) => {
      runs.push({ command, args, ...options });
      const answer = left.shift() ?? new Error('run too often');
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === 'string' ? answer : JSON.stringify(answer));
    },
  };
}

const credential = (status: object, apiVersion = V1) => ({ kind: 'ExecCredential', apiVersion, status });

async function load(text: string, { run }: ReturnType<typeof plugin>, clock = new FakeClock(), isTerminal = false) {
  const options = { path: '/f/config', env: { A: '1' }, clock, isTerminal, run };
  return (await loadKubeConnection({ ...options, readFile: () => Promise.resolve(text) })).transport;
}

test('a plugin is run as kubectl runs it, and its token used until it expires', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const exec = { args: ['auth', 'token'], env: [{ name: 'B', value: '2' }], provideClusterInfo: true };
  const plugged = plugin([
    credential({ token: 'one', expirationTimestamp: '2026-01-01T01:00:00Z' }),
    credential({ token: 'two' }),
  ]);

  const { bearerToken } = await load(kubeconfig(exec), plugged, clock);

  expect(await bearerToken?.()).toBe('one');
  expect(plugged.runs).toHaveLength(1);
  const [{ command, args, env, hasInput } = { env: {} as Run['env'] } as Run] = plugged.runs;
  expect({ command, args, hasInput }).toEqual({ command: 'plugin', args: ['auth', 'token'], hasInput: false });
  expect(env).toMatchObject({ A: '1', B: '2' });
  expect(JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '')).toEqual({
    kind: 'ExecCredential',
    apiVersion: V1,
    spec: { cluster: { server: 'https://c', 'certificate-authority-data': 'Y2E=' }, interactive: false },
  });
  await clock.advance(3_600_000);
  expect(await Promise.all([bearerToken?.(), bearerToken?.()])).toEqual(['two', 'two']);
  expect(plugged.runs).toHaveLength(2);
});

test('a certificate from a plugin is accepted', async () => {
  const plugged = plugin([credential({ clientCertificateData: 'cert', clientKeyData: 'key' })]);

  const { clientCertificate, bearerToken } = await load(kubeconfig({}), plugged);

  expect(await clientCertificate?.()).toEqual({ certificate: 'cert', privateKey: 'key' });
  expect(bearerToken).toBeUndefined();
});

test.each([
  { interactiveMode: 'Never', isTerminal: true, hasInput: false },
  { interactiveMode: 'IfAvailable', isTerminal: true, hasInput: true },
  { interactiveMode: 'IfAvailable', isTerminal: false, hasInput: false },
  { interactiveMode: 'Always', isTerminal: true, hasInput: true },
])('$interactiveMode connects it to the terminal: $isTerminal', async ({ interactiveMode, isTerminal, hasInput }) => {
  const plugged = plugin([credential({ token: 't' })]);

  await load(kubeconfig({ interactiveMode }), plugged, new FakeClock(), isTerminal);

  expect(plugged.runs[0]?.hasInput).toBe(hasInput);
});

test.each([
  { command: 'plugin', found: 'plugin' },
  { command: './plugin', found: '/f/plugin' },
  { command: '/usr/bin/plugin', found: '/usr/bin/plugin' },
])('$command is $found', async ({ command, found }) => {
  const plugged = plugin([credential({ token: 't' })]);

  await load(kubeconfig({ command }), plugged);

  expect(plugged.runs[0]?.command).toBe(found);
});

test('a static token takes precedence over the plugin', async () => {
  const { bearerToken } = await load(kubeconfig({}, {}, { token: 'written' }), plugin([]));

  expect(await bearerToken?.()).toBe('written');
});

test.each<{ answer: object | string | Error; exec?: object; message: string }>([
  {
    answer: Object.assign(new Error('spawn'), { code: 'ENOENT' }),
    exec: { installHint: 'get it' },
    message: 'plugin is not found\nget it',
  },
  { answer: new Error('it ended with code 1'), message: 'exec: plugin failed: it ended with code 1' },
  { answer: 'a token', message: 'did not print an ExecCredential' },
  {
    answer: credential({ token: 't' }, 'client.authentication.k8s.io/v1beta1'),
    message: 'did not print an ExecCredential of',
  },
  { answer: credential({}), message: 'printed neither a token nor a certificate' },
  { answer: credential({ clientKeyData: 'k' }), message: 'without the other' },
  { answer: {}, exec: { interactiveMode: 'Always' }, message: 'needs a terminal' },
])('reports the problem: $message', async ({ answer, exec = {}, message }) => {
  await expect(load(kubeconfig(exec), plugin([answer]))).rejects.toThrow(message);
});

test('a plugin of an automatically found kubeconfig is not run', async () => {
  const plugged = plugin([credential({ token: 'one' })]);
  const readFile = () => Promise.resolve(kubeconfig({ command: './bin/plugin' }));
  const options = { path: '/w/.fairway/kubeconfig', mayRunPlugins: false, run: plugged.run, readFile };

  await expect(loadKubeConnection(options)).rejects.toThrow(
    'user "u": exec: /w/.fairway/bin/plugin is not run because the kubeconfig was found automatically: to trust /w/.fairway/kubeconfig, pass it with --kubeconfig or KUBECONFIG',
  );
  expect(plugged.runs).toEqual([]);
});

test('a plugin with endless output is killed even if it ignores signals', async () => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => process.stdout.write('x'.repeat(100_000)), 1)";
  const exec = { command: process.execPath, args: ['-e', script] };
  const options = { path: '/f', env: {}, isTerminal: false, readFile: () => Promise.resolve(kubeconfig(exec)) };

  await expect(loadKubeConnection(options)).rejects.toThrow('failed: it printed more than 1 MiB');
});
