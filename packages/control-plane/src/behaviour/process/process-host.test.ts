import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Launch, localProcessHost, type ProcessIdentity, parsePidFile } from '../../process/process-host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-host-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Always alive here; `fairway up` checks real processes. */
const identify = (pid: number): ProcessIdentity => ({ pid, started: '' });

function launch(change: Partial<Launch> = {}): Launch {
  return {
    command: '/bin/sh',
    args: ['-c', 'pwd -P; cat pid; echo "$LIMIT:$HOME"'],
    env: { PATH: '/usr/bin:/bin', LIMIT: '2' },
    folder,
    logFile: join(folder, 'log'),
    pidFile: join(folder, 'pid'),
    fingerprint: 'abc',
    sockets: [],
    ...change,
  };
}

function runToEnd(change: Partial<Launch> = {}): Promise<ProcessIdentity> {
  return new Promise((resolve) => {
    const identity = localProcessHost(identify).spawn(launch(change), () => resolve(identity));
  });
}

test('writes the pid file, then runs the program in its directory with only its own environment', async () => {
  const { pid } = await runToEnd();

  expect(readFileSync(join(folder, 'log'), 'utf8')).toMatch(new RegExp(`${folder}\n${pid} abc \\d*\n2:\n`));
  expect(parsePidFile(readFileSync(join(folder, 'pid'), 'utf8'))).toMatchObject({
    process: { pid },
    fingerprint: 'abc',
  });
});

test.skipIf(!existsSync('/proc/self/status'))('limits a program (skipped without /proc)', async () => {
  await runToEnd({ args: ['-c', 'cat /proc/$$/oom_score_adj; ulimit -n; ulimit -Hn'] });

  const [oomScore, ...openFiles] = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').map(Number);
  expect(oomScore).toBe(500);
  for (const limit of openFiles) expect(limit).toBeLessThanOrEqual(65_536);
});

test.skipIf(!existsSync('/proc/self/status'))('reports the memory of a process (skipped without /proc)', () => {
  const host = localProcessHost(identify);

  expect(host.memoryBytes({ pid: process.pid, started: '' })).toBeGreaterThan(2 ** 20);
  expect(host.memoryBytes({ pid: 2 ** 30, started: '' })).toBeUndefined();
});

test('does not run a program if the pid file names a different program', async () => {
  writeFileSync(join(folder, 'pid'), '1 other 5\n');

  await runToEnd();

  expect(readFileSync(join(folder, 'log'), 'utf8')).not.toContain(`${folder}\n`);
  expect(readFileSync(join(folder, 'pid'), 'utf8')).toBe('1 other 5\n');
});

test('removes a stale socket only right before the next program runs', async () => {
  const socket = join(folder, 'etcd:0');
  writeFileSync(socket, '');
  writeFileSync(join(folder, 'pid'), '1 other 5\n');
  await runToEnd({ sockets: ['etcd:0'] });
  expect(existsSync(socket)).toBe(true);

  rmSync(join(folder, 'pid'));
  await runToEnd({ sockets: ['etcd:0', 'never:0'] });
  expect(existsSync(socket)).toBe(false);
});

test.each(['', 'x abc 5', '0 abc 5', '-1 abc 5', '12'])('refuses the pid file "%s"', (text) => {
  expect(parsePidFile(text)).toBeUndefined();
});
