import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import type { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchRelease } from '../../releases/fetch-release.ts';
import { mirrorsAt, releaseRequest } from '../../releases/release-files.ts';
import { MIRRORED_RELEASE, ReleaseMirror } from '../../testing/release-mirror.ts';

const BINARIES = [
  'etcd',
  'etcdctl',
  'etcdutl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
];
const KUBELET = ReleaseMirror.pathOf('kubelet');
const DRAFT = `.v${MIRRORED_RELEASE.version}-amd64.draft`;

let releases: string;
let mirror: ReleaseMirror;
let shown: string[];
let onReport: () => void;
beforeEach(async () => {
  releases = mkdtempSync(join(tmpdir(), 'releases-'));
  mirror = await ReleaseMirror.start();
  shown = [];
  onReport = () => {};
});
afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  rmSync(releases, { recursive: true });
});

function runFetch(
  change: { version?: string; etcd?: string; url?: string; signal?: AbortSignal } = {},
): Promise<string> {
  const { url = mirror.url, signal = new AbortController().signal, ...request } = change;
  return fetchRelease({
    request: { ...MIRRORED_RELEASE, ...request },
    mirrors: mirrorsAt(url),
    releases,
    fetch,
    clock: systemClock,
    signal,
    show: (steps) => {
      shown.push(steps.map(({ title, state, detail }) => `${title}: ${state} ${detail}`).join('\n'));
      onReport();
    },
  });
}

async function failure(attempt: Promise<unknown>): Promise<CommandError> {
  const outcome = await attempt.then(
    () => undefined,
    (error: CommandError) => error,
  );
  if (outcome === undefined) throw new Error('it did not fail');
  return outcome;
}

/** Resolves when the latest progress matches. */
function untilReported(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onReport = () => {
    if (shown.at(-1)?.includes(text)) resolve();
  };
  onReport();
  return promise;
}

const draftPath = (name: string) => join(releases, DRAFT, name);

test('downloads all binaries of a release, complete and executable', async () => {
  const folder = await runFetch();

  expect(folder).toBe(join(releases, 'v1.36.3'));
  expect(readdirSync(folder).sort()).toEqual(BINARIES);
  for (const name of BINARIES) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
  expect(readdirSync(releases)).toEqual(['v1.36.3']);
  expect(shown.at(-1)).toContain('kubelet: done sha512 is right');
});

test('does not request existing files again', async () => {
  await runFetch();
  mirror.requests.splice(0);

  await runFetch();

  expect(mirror.requests).toEqual([]);
});

test('accepts a mirror that publishes only SHA-256 checksums', async () => {
  const sum = createHash('sha256')
    .update(mirror.files.get(KUBELET) ?? '')
    .digest('hex');
  mirror.files.delete(`${KUBELET}.sha512`);
  mirror.files.set(`${KUBELET}.sha256`, Buffer.from(`${sum.toUpperCase()}  kubelet\n`));

  await runFetch();

  expect(shown.at(-1)).toContain('kubelet: done sha256 is right');
});

test('resumes an interrupted download', async () => {
  const cut = Promise.withResolvers<void>();
  mirror.truncations.set(KUBELET, cut);
  const pendingFetch = runFetch();
  await untilReported('kubelet: running 50 %');
  cut.resolve();
  const folder = await pendingFetch;

  const [first, second] = mirror.requests.filter(
    (request) => request.startsWith(`GET ${KUBELET}`) && !request.includes('sha'),
  );
  expect(first).toBe(`GET ${KUBELET}`);
  expect(second).toMatch(/ bytes=[1-9]\d*-$/);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
});

test('reuses the files of a killed attempt: complete ones as they are, partial ones resumed', async () => {
  const kubelet = mirror.files.get(KUBELET) ?? Buffer.alloc(0);
  const scheduler = mirror.files.get(ReleaseMirror.pathOf('kube-scheduler')) ?? Buffer.alloc(0);
  mkdirSync(join(releases, DRAFT));
  writeFileSync(draftPath('kube-scheduler'), scheduler);
  writeFileSync(draftPath('kubelet.part'), kubelet.subarray(0, 1000));

  const folder = await runFetch();

  expect(mirror.requests).not.toContain(`GET ${ReleaseMirror.pathOf('kube-scheduler')}`);
  expect(mirror.requests).toContain(`GET ${KUBELET} bytes=1000-`);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(kubelet);
});

test.each([
  { reason: 'a partial file with other content', part: Buffer.from('another file') },
  { reason: 'a partial file longer than the complete file', part: Buffer.alloc(1_000_000) },
])('discards $reason and downloads it again', async ({ part }) => {
  mkdirSync(join(releases, DRAFT));
  writeFileSync(draftPath('kubelet.part'), part);

  const folder = await runFetch();

  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
});

test('leaves no release after an aborted attempt, and completes it on the next attempt', async () => {
  const halt = Promise.withResolvers<void>();
  mirror.pauses.set(KUBELET, halt);
  const giveUp = new AbortController();
  const attempt = runFetch({ signal: giveUp.signal });
  await untilReported('kubelet: running 50 %');
  giveUp.abort();
  await failure(attempt);
  expect(readdirSync(releases)).toEqual([DRAFT]);

  mirror.pauses.clear();
  await runFetch();
  expect(mirror.requests.at(-5)).toMatch(/kubelet bytes=\d+-$/);
});

describe('fetching a release', () => {
  test('rejects a file that does not match its checksum', async () => {
    mirror.files.set(KUBELET, Buffer.from('something else'));

    const { message, advice } = await failure(runFetch());

    expect(message).toBe(`${mirror.url}${KUBELET} does not match its sha512 checksum and was removed`);
    expect(advice).toContain('--mirror');
    expect(existsSync(draftPath('kubelet.part'))).toBe(false);
    expect(existsSync(join(releases, 'v1.36.3'))).toBe(false);
  });

  test('rejects a version that does not exist', async () => {
    const { message, advice } = await failure(runFetch({ version: '1.36.99' }));

    expect(message).toContain('has no Kubernetes 1.36.99 for linux/amd64');
    expect(advice).toMatch(/^Fairway knows 1\.36\.0 to 1\.36\.\d+$/);
  });

  test('rejects an etcd version that does not exist', async () => {
    const { message, advice } = await failure(runFetch({ etcd: '3.6.99' }));

    expect(message).toContain('has no etcd 3.6.99');
    expect(advice).toContain('--etcd');
  });

  test('rejects an invalid checksum', async () => {
    mirror.files.set(`${KUBELET}.sha512`, Buffer.from('<html>sign in</html>'));

    expect((await failure(runFetch())).message).toContain('contains no sha512 of kubelet');
  });

  test('reports a mirror that does not respond', async () => {
    const { url } = mirror;
    await mirror[Symbol.asyncDispose]();
    mirror = await ReleaseMirror.start();

    const { message, advice, exitCode } = await failure(runFetch({ url }));

    expect(message).toContain(': connect ECONNREFUSED');
    expect(advice).toContain('run the command again');
    expect(exitCode).toBe(ExitCode.Unreachable);
  });
});

describe('files to request', () => {
  const machine = { platform: 'linux', arch: 'x64' } as const;

  test.each([
    { version: '1.36.3', etcd: undefined, request: MIRRORED_RELEASE },
    { version: 'v1.33.1', etcd: undefined, request: { version: '1.33.1', etcd: '3.5.24', architecture: 'amd64' } },
    { version: '1.99.0', etcd: 'v3.9.1', request: { version: '1.99.0', etcd: '3.9.1', architecture: 'amd64' } },
  ])('are derived from version $version', ({ version, etcd, request }) => {
    expect(releaseRequest(version, etcd, machine)).toEqual(request);
  });

  test.each([
    { version: '1.36', machine, message: '"1.36" is not an exact version of Kubernetes' },
    { version: '1.99.0', machine, message: 'Fairway does not know which etcd belongs to Kubernetes 1.99' },
    {
      version: '1.36.3',
      machine: { platform: 'darwin', arch: 'arm64' } as const,
      message: 'Kubernetes has no control plane binaries for darwin/arm64',
    },
  ])('are refused: $message', ({ version, machine: on, message }) => {
    expect(() => releaseRequest(version, undefined, on)).toThrow(message);
  });

  test('come only from mirrors with an HTTP URL', () => {
    expect(() => mirrorsAt('file:///srv')).toThrow('is not an http or https URL');
  });
});
