import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT } from './session/running-fairway.ts';

const execute = promisify(execFile);
const folders = ['/usr/bin', '/bin', '/usr/local/bin'];
const title = (shell: string) => (findExecutable(folders, shell) === undefined ? ` (skipped: no ${shell})` : '');

let folder: string;
let silent: Server;
const sockets = new Set<Socket>();

/** A server that accepts connections but never responds, and a plugin that never exits. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-completion-'));
  silent = createServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'silent'), renderKubeconfig({ name: 'silent', server, token: 't' }));
  const plugin = join(folder, 'plugin');
  writeFileSync(plugin, '#!/bin/sh\necho "Password: " >&2\nexec sleep 300\n');
  chmodSync(plugin, 0o755);
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: plugin,
    args: [],
    env: [],
    installHint: '',
    provideClusterInfo: false,
    interactiveMode: 'IfAvailable',
  } as const;
  writeFileSync(join(folder, 'asking'), renderKubeconfig({ name: 'asking', server, exec }));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  rmSync(folder, { recursive: true });
});

const env = () => ({ PATH: `${join(PROJECT, 'node_modules/.bin')}:/usr/bin:/bin`, HOME: folder });
/**
 * A request times out after 60 s, and the plugin exits after 300 s. A shorter time means that the command waited for
 * neither.
 */
const MAX_DURATION_MS = 50_000;

describe('completing names', () => {
  test.each([
    { away: 'a server that does not respond', kubeconfig: 'silent' },
    { away: 'a plugin that asks for a password', kubeconfig: 'asking' },
    { away: 'a missing kubeconfig', kubeconfig: 'missing' },
  ])('is fast and silent with $away', async ({ kubeconfig }) => {
    const startedMs = performance.now();
    const args = ['__complete', '--', '--kubeconfig', join(folder, kubeconfig), 'cluster', 'get', ''];
    const { stdout, stderr } = await execute(join(PROJECT, 'node_modules/.bin/fairway'), args, { env: env() });

    expect(stdout).toBe('');
    expect(stderr.replace('Password: \n', '')).toBe('');
    expect(performance.now() - startedMs).toBeLessThan(MAX_DURATION_MS);
  });
});

describe('shell completion scripts', () => {
  test.skipIf(title('bash') !== '')(`complete in bash what the command returns${title('bash')}`, async () => {
    const script = [
      'source <(fairway completion bash)',
      'COMP_WORDS=(fairway cluster sc); COMP_CWORD=2; _fairway; echo "${COMPREPLY[@]}"',
      'COMP_WORDS=(fairway cluster wait x --for u); COMP_CWORD=5; _fairway; echo "${COMPREPLY[@]}"',
    ].join('\n');

    const { stdout } = await execute('bash', ['-c', script], { env: env() });

    expect(stdout).toBe('scale\nupgraded\n');
  });

  test.skipIf(title('zsh') !== '')(`load in zsh${title('zsh')}`, async () => {
    const script =
      'autoload -Uz compinit && compinit -u && source <(fairway completion zsh) && echo ${_comps[fairway]}';

    const { stdout } = await execute('zsh', ['-f', '-c', script], { env: env() });

    expect(stdout).toBe('_fairway\n');
  });

  test.skipIf(title('fish') !== '')(`complete in fish what the command returns${title('fish')}`, async () => {
    const script = 'fairway completion fish | source; complete -C "fairway cluster sc"';

    const { stdout } = await execute('fish', ['--no-config', '-c', script], { env: env() });

    expect(stdout).toMatch(/^scale$/m);
  });
});
