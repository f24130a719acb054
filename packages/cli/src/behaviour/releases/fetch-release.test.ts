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
import { MIRRORED, ReleaseMirror } from '../../testing/release-mirror.ts';

const PROGRAMS = [
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
const DRAFT = `.v${MIRRORED.version}-amd64.draft`;

let releases: string;
let mirror: ReleaseMirror;
let shown: string[];
let onShow: () => void;
beforeEach(async () => {
  releases = mkdtempSync(join(tmpdir(), 'releases-'));
  mirror = await ReleaseMirror.start();
  shown = [];
  onShow = () => {};
});
afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  rmSync(releases, { recursive: true });
});

function fetchIt(
  change: { version?: string; etcd?: string; url?: string; signal?: AbortSignal } = {},
): Promise<string> {
  const { url = mirror.url, signal = new AbortController().signal, ...request } = change;
  return fetchRelease({
    request: { ...MIRRORED, ...request },
    mirrors: mirrorsAt(url),
    releases,
    fetch,
    clock: systemClock,
    signal,
    show: (steps) => {
      shown.push(steps.map(({ title, state, detail }) => `${title}: ${state} ${detail}`).join('\n'));
      onShow();
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
function untilShown(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onShow = () => {
    if (shown.at(-1)?.includes(text)) resolve();
  };
  onShow();
  return promise;
}

const inDraft = (name: string) => join(releases, DRAFT, name);

test('all programs of a release are complete and executable', async () => {
  const folder = await fetchIt();

  expect(folder).toBe(join(releases, 'v1.36.3'));
  expect(readdirSync(folder).sort()).toEqual(PROGRAMS);
  for (const name of PROGRAMS) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
  expect(readdirSync(releases)).toEqual(['v1.36.3']);
  expect(shown.at(-1)).toContain('kubelet: done sha512 is right');
});

test('existing files are not requested again', async () => {
  await fetchIt();
  mirror.requests.splice(0);

  await fetchIt();

  expect(mirror.requests).toEqual([]);
});

test('a mirror with only SHA-256 is sufficient', async () => {
  const sum = createHash('sha256')
    .update(mirror.files.get(KUBELET) ?? '')
    .digest('hex');
  mirror.files.delete(`${KUBELET}.sha512`);
  mirror.files.set(`${KUBELET}.sha256`, Buffer.from(`${sum.toUpperCase()}  kubelet\n`));

  await fetchIt();

  expect(shown.at(-1)).toContain('kubelet: done sha256 is right');
});

test('an interrupted download is resumed', async () => {
  const cut = Promise.withResolvers<void>();
  mirror.cuts.set(KUBELET, cut);
  const fetching = fetchIt();
  await untilShown('kubelet: running 50 %');
  cut.resolve();
  const folder = await fetching;

  const [first, second] = mirror.requests.filter(
    (request) => request.startsWith(`GET ${KUBELET}`) && !request.includes('sha'),
  );
  expect(first).toBe(`GET ${KUBELET}`);
  expect(second).toMatch(/ bytes=[1-9]\d*-$/);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
});

test('files of a killed attempt are reused: complete ones as they are, partial ones resumed', async () => {
  const kubelet = mirror.files.get(KUBELET) ?? Buffer.alloc(0);
  const scheduler = mirror.files.get(ReleaseMirror.pathOf('kube-scheduler')) ?? Buffer.alloc(0);
  mkdirSync(join(releases, DRAFT));
  writeFileSync(inDraft('kube-scheduler'), scheduler);
  writeFileSync(inDraft('kubelet.part'), kubelet.subarray(0, 1000));

  const folder = await fetchIt();

  expect(mirror.requests).not.toContain(`GET ${ReleaseMirror.pathOf('kube-scheduler')}`);
  expect(mirror.requests).toContain(`GET ${KUBELET} bytes=1000-`);
  expect(readFileSync(join(folder, 'kubelet'))).toEqual(kubelet);
});

test.each([
  { reason: 'of something else', part: Buffer.from('another file') },
  { reason: 'longer than the file', part: Buffer.alloc(1_000_000) },
])('a part $reason is thrown away, and all is fetched', async ({ part }) => {
  mkdirSync(join(releases, DRAFT));
  writeFileSync(inDraft('kubelet.part'), part);

  const folder = await fetchIt();

  expect(readFileSync(join(folder, 'kubelet'))).toEqual(mirror.files.get(KUBELET));
});

test('an aborted attempt leaves no release, and the next one completes it', async () => {
  const halt = Promise.withResolvers<void>();
  mirror.halts.set(KUBELET, halt);
  const giveUp = new AbortController();
  const attempt = fetchIt({ signal: giveUp.signal });
  await untilShown('kubelet: running 50 %');
  giveUp.abort();
  await failure(attempt);
  expect(readdirSync(releases)).toEqual([DRAFT]);

  mirror.halts.clear();
  await fetchIt();
  expect(mirror.requests.at(-5)).toMatch(/kubelet bytes=\d+-$/);
});

describe('errors', () => {
  test('a file that does not match its checksum', async () => {
    mirror.files.set(KUBELET, Buffer.from('something else'));

    const { message, advice } = await failure(fetchIt());

    expect(message).toBe(`${mirror.url}${KUBELET} does not match its sha512 checksum and was removed`);
    expect(advice).toContain('--mirror');
    expect(existsSync(inDraft('kubelet.part'))).toBe(false);
    expect(existsSync(join(releases, 'v1.36.3'))).toBe(false);
  });

  test('a version that does not exist', async () => {
    const { message, advice } = await failure(fetchIt({ version: '1.36.99' }));

    expect(message).toContain('has no Kubernetes 1.36.99 for linux/amd64');
    expect(advice).toMatch(/^Fairway knows 1\.36\.0 to 1\.36\.\d+$/);
  });

  test('an etcd that does not exist', async () => {
    const { message, advice } = await failure(fetchIt({ etcd: '3.6.99' }));

    expect(message).toContain('has no etcd 3.6.99');
    expect(advice).toContain('--etcd');
  });

  test('an invalid checksum', async () => {
    mirror.files.set(`${KUBELET}.sha512`, Buffer.from('<html>sign in</html>'));

    expect((await failure(fetchIt())).message).toContain('contains no sha512 of kubelet');
  });

  test('a mirror that does not answer', async () => {
    const { url } = mirror;
    await mirror[Symbol.asyncDispose]();
    mirror = await ReleaseMirror.start();

    const { message, advice, exitCode } = await failure(fetchIt({ url }));

    expect(message).toContain(': connect ECONNREFUSED');
    expect(advice).toContain('run the command again');
    expect(exitCode).toBe(ExitCode.Unreachable);
  });
});

describe('files to request', () => {
  const machine = { platform: 'linux', arch: 'x64' } as const;

  test.each([
    { version: '1.36.3', etcd: undefined, request: MIRRORED },
    { version: 'v1.33.1', etcd: undefined, request: { version: '1.33.1', etcd: '3.5.24', architecture: 'amd64' } },
    { version: '1.99.0', etcd: 'v3.9.1', request: { version: '1.99.0', etcd: '3.9.1', architecture: 'amd64' } },
  ])('$version', ({ version, etcd, request }) => {
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
  ])('$message', ({ version, machine: on, message }) => {
    expect(() => releaseRequest(version, undefined, on)).toThrow(message);
  });

  test('a mirror is an HTTP URL', () => {
    expect(() => mirrorsAt('file:///srv')).toThrow('is not an http or https URL');
  });
});
