import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { startTlsServer, type TlsServer } from '@fairway/kube/testing/tls-server';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { call, logIn, TEST_PASSWORD } from '@fairway/simulator/test-cloud';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { type CommandResult, PROJECT, run } from './session/running-fairway.ts';

/** An API server that authenticates users only by tokens of a simulated Keystone, like Fairway's. */
let folder: string;
let cloud: Cloud;
let origin: string;
let server: TlsServer;
let kubeconfig: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-exec-credential-'));
  cloud = createCloud({ clock: systemClock, random: Math.random, config: { password: TEST_PASSWORD } });
  origin = await cloud.listen({ host: '127.0.0.1', port: 0 });
  server = await startTlsServer((request, response) => void respond(request, response));
  writeFileSync(join(folder, 'ca.pem'), server.authority.certificatePem);
  writeClouds();
});
afterAll(async () => {
  await server.close();
  await cloud.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  rmSync(join(folder, 'cache'), { recursive: true, force: true });
  env = {
    PATH: `${join(PROJECT, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml'),
  };
  kubeconfig = await writeKubeconfig('demo');
});

/** Writes clouds.yaml as JSON, which is valid YAML. */
function writeClouds(): void {
  const auth = {
    auth_url: `${origin}/identity/v3`,
    username: 'demo',
    user_domain_name: 'Default',
    project_name: 'demo',
    project_domain_name: 'Default',
  };
  const clouds = {
    demo: { auth: { ...auth, password: TEST_PASSWORD } },
    wrong: { auth: { ...auth, password: 'not-it' } },
    asking: { auth },
    device: {
      auth_type: 'v3oidcdeviceauthz',
      auth: {
        auth_url: `${origin}/identity/v3`,
        identity_provider: 'simulated',
        protocol: 'openid',
        client_id: 'fairway',
        discovery_endpoint: `${origin}/idp/.well-known/openid-configuration`,
        project_name: 'demo',
        project_domain_name: 'Default',
      },
    },
  };
  writeFileSync(join(folder, 'clouds.yaml'), JSON.stringify({ clouds }));
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const admin = await logIn(origin, 'admin', 'admin');
  const { status, body } = await admin.call('GET', '/identity/v3/auth/tokens', undefined, { 'X-Subject-Token': token });
  const isKnown = token !== '' && status === 200;
  const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 };
  const { user, project } = (body['token'] ?? {}) as unknown as Record<'user' | 'project', { readonly name: string }>;
  response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(
      isKnown ? { user: user.name, project: project.name, major: '1', minor: '36', gitVersion: 'v1.36.3' } : refusal,
    ),
  );
}

async function writeKubeconfig(name: string, ...options: readonly string[]): Promise<string> {
  const path = join(folder, `${name}.kubeconfig`);
  rmSync(path, { force: true });
  const where = ['--server', server.url, '--certificate-authority', join(folder, 'ca.pem'), '-n', 'team'];
  const args = ['kubeconfig', '--exec', '--cloud', name, ...where, '--merge', path, ...options];
  const { code, stderr } = await run('fairway', args, env);
  expect(stderr).toContain('merged');
  expect(code).toBe(0);
  return path;
}

function whoami(path = kubeconfig): Promise<CommandResult> {
  return run(new Kubectl(path).program, ['--kubeconfig', path, 'get', '--raw', '/version'], env);
}

/** The number of sign-ins, except those of the server's own administrator. */
let signIns = 0;
beforeAll(() => {
  cloud.calls.onReceived(({ method, path, body }) => {
    if (method === 'POST' && path.endsWith('/auth/tokens') && !JSON.stringify(body).includes('"admin"')) signIns++;
  });
});
beforeEach(() => {
  signIns = 0;
});

const storedTokens = () => readdirSync(join(folder, 'cache/fairway/tokens')).filter((name) => name.endsWith('.json'));

/** Runs a command in its own terminal. */
const script = findExecutable(['/usr/bin'], 'script');

describe.skipIf(!hasKubectl)('kubectl with a kubeconfig that contains no secrets', () => {
  test('signs in to Keystone once for many runs', async () => {
    const first = await whoami();
    const second = await whoami();

    expect(JSON.parse(first.stdout)).toMatchObject({ user: 'demo', project: 'demo' });
    expect(JSON.parse(second.stdout)).toMatchObject({ user: 'demo', project: 'demo' });
    expect(signIns).toBe(1);
    expect(readFileSync(kubeconfig, 'utf8')).not.toContain(TEST_PASSWORD);
  });

  test('signs in once for many concurrent starts, even after a sign-in has been killed', async () => {
    await whoami();
    const [name = ''] = storedTokens();
    rmSync(join(folder, 'cache/fairway/tokens', name));
    writeFileSync(join(folder, 'cache/fairway/tokens', name.replace('.json', '.lock')), '{"pid":999999,"started":"1"}');
    signIns = 0;

    const outputs = await Promise.all(Array.from({ length: 6 }, () => whoami()));

    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(signIns).toBe(1);
    expect(readdirSync(join(folder, 'cache/fairway/tokens'))).toEqual([name]);
  });

  test('recovers after its token is revoked', async () => {
    await whoami();
    const { token } = JSON.parse(
      readFileSync(join(folder, 'cache/fairway/tokens', storedTokens()[0] ?? ''), 'utf8'),
    ) as {
      token: string;
    };
    await call(origin, 'DELETE', '/identity/v3/auth/tokens', undefined, {
      'X-Auth-Token': token,
      'X-Subject-Token': token,
    });

    const had401 = await whoami();
    const next = await whoami();

    expect([had401.code, had401.stderr]).toSatisfy(
      ([code, stderr]) => code === 0 || /Unauthorized|logged in/.test(String(stderr)),
    );
    expect(JSON.parse(next.stdout)).toMatchObject({ user: 'demo' });
    expect(signIns).toBe(2);
  });

  test('reports what to do when Keystone refuses, without revealing the secret', async () => {
    const { code, stderr } = await whoami(await writeKubeconfig('wrong'));

    expect(code).not.toBe(0);
    expect(stderr).toContain('401 unauthorized: The request you have made requires authentication.');
    expect(stderr).not.toContain('not-it');
  });

  test('does not wait for an absent user', async () => {
    const [password, device] = [await writeKubeconfig('asking'), await writeKubeconfig('device')];

    expect((await whoami(password)).stderr).toContain('there is no terminal to ask on');
    expect((await whoami(device)).stderr).toContain('the session is not interactive');
  });

  test.skipIf(script === undefined)('prompts in a terminal, and hides the input', async () => {
    const path = await writeKubeconfig('asking');
    const command = `kubectl --kubeconfig ${path} get --raw /version`;
    const terminal = spawn(script ?? '', ['-qec', command, '/dev/null'], {
      env: { ...process.env, ...env, PATH: `${join(new Kubectl(path).program, '..')}:${env['PATH']}` },
    });
    let shown = '';
    const ended = Promise.withResolvers<void>();
    terminal.stdout.on('data', (chunk: Buffer) => {
      const isRequested = shown.includes('Password of demo: ');
      shown += chunk.toString();
      if (!isRequested && shown.includes('Password of demo: ')) terminal.stdin.write(`${TEST_PASSWORD}\r`);
    });
    terminal.on('close', () => ended.resolve());
    await ended.promise;

    expect(shown).toContain('"project":"demo"');
    expect(shown).not.toContain(TEST_PASSWORD);
    expect((await whoami(path)).code).toBe(0);
  });
});

describe('the command itself', () => {
  test('runs the plugin of its kubeconfig too', async () => {
    const { stdout, stderr } = await run('fairway', ['--kubeconfig', kubeconfig, 'version'], env);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Server: v1\.36\.3 at https:/m);
  });

  test.skipIf(script === undefined)('signs in manually with a device code, and signs out again', async () => {
    const signingIn = spawn(script ?? '', ['-qec', 'fairway auth login --cloud device', '/dev/null'], {
      env: { ...process.env, ...env },
    });
    let shown = '';
    const confirmations = Promise.withResolvers<void>();
    signingIn.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      const [, code] = /enter the code (\S+)\r?\n/.exec(shown) ?? [];
      if (code !== undefined) confirmations.resolve(confirm(code));
    });
    await confirmations.promise;
    await new Promise((resolve) => signingIn.on('close', resolve));

    expect(shown).toContain('Signed in to cloud device as demo in project demo, until ');
    expect(storedTokens()).toHaveLength(1);
    const out = await run('fairway', ['auth', 'logout', '--all'], env);
    expect(out.stderr).toBe('Signed out: 1 token\n');
    expect(storedTokens()).toHaveLength(0);
  });

  test('revokes a token only at the Keystone that issued it', async () => {
    await run('fairway', ['auth', 'login', '--cloud', 'demo'], env);
    const shown: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      shown.push(request.url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const text = readFileSync(join(folder, 'clouds.yaml'), 'utf8').replaceAll(origin, `http://127.0.0.1:${port}`);
    writeFileSync(join(folder, 'moved.yaml'), text);
    const moved = { ...env, OS_CLIENT_CONFIG_FILE: join(folder, 'moved.yaml') };

    const { stderr } = await run('fairway', ['auth', 'logout', '--all'], moved);
    await new Promise((resolve) => other.close(resolve));

    expect(stderr).toContain(
      `a token of cloud demo is no longer stored, but stays valid at ${origin}/identity/v3 until it expires`,
    );
    expect(shown).toEqual([]);
    expect(storedTokens()).toHaveLength(0);
  });
});

async function confirm(userCode: string): Promise<void> {
  const body = new URLSearchParams({ user_code: userCode, username: 'demo', password: TEST_PASSWORD });
  await fetch(`${origin}/idp/device`, { method: 'POST', body });
}
