import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishSocket, removeStaleSocket, socketPath } from '../endpoint.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-socket-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('an endpoint', () => {
  test.each(['unix:///run/csi.sock', 'unix:/run/csi.sock', '/run/csi.sock', 'UNIX:///run/csi.sock'])(
    'can be %s',
    (endpoint) => {
      expect(socketPath(endpoint)).toBe('/run/csi.sock');
    },
  );

  test.each([
    { endpoint: 'tcp://127.0.0.1:10000', reported: /is not a socket path/ },
    { endpoint: 'unix://csi.sock', reported: /is not a socket path/ },
    { endpoint: '', reported: /is not a socket path/ },
    { endpoint: `unix:///${'x'.repeat(107)}`, reported: /longer than 98 bytes/ },
  ])('cannot be $endpoint', ({ endpoint, reported }) => {
    expect(() => socketPath(endpoint)).toThrow(reported);
  });
});

describe('a socket', () => {
  test('is removed if its process was killed', async () => {
    const path = join(folder, 'stale');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(existsSync(path)).toBe(true);

    await removeStaleSocket(path);

    expect(existsSync(path)).toBe(false);
    await removeStaleSocket(path);
  });

  test('is not removed if a process is listening on it, and neither are other files', async () => {
    const [taken, file] = [join(folder, 'taken'), join(folder, 'file')];
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(taken, resolve));
    await writeFile(file, 'precious');

    await expect(removeStaleSocket(taken)).rejects.toThrow(/another process is already listening/);
    await expect(removeStaleSocket(file)).rejects.toThrow(/exists but is not a socket/);

    expect(existsSync(taken) && existsSync(file)).toBe(true);
    server.close();
  });

  test('exists as soon as the server listens, and only the server’s user can use it', async () => {
    const path = join(folder, 'new');
    const server = createServer();

    await publishSocket(path, async (temporaryPath) => {
      expect(statSync(dirname(temporaryPath)).mode & 0o777).toBe(0o700);
      await new Promise<void>((resolve) => server.listen(temporaryPath, resolve));
    });

    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(removeStaleSocket(path)).rejects.toThrow(/another process is already listening/);
    expect(readdirSync(folder).filter((name) => name.startsWith('new.'))).toEqual([]);
    server.close();
  });

  test('cannot be created in a missing directory, and is removed if the server cannot listen', async () => {
    await expect(publishSocket(join(folder, 'none/s'), async () => {})).rejects.toThrow(
      /none does not exist: create it/,
    );
    const failingServer = publishSocket(join(folder, 'failed'), () => Promise.reject(new Error('taken')));

    await expect(failingServer).rejects.toThrow('taken');
    expect(readdirSync(folder).filter((name) => name.startsWith('failed'))).toEqual([]);
  });
});
