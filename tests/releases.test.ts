import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIRRORED_RELEASE, ReleaseMirror } from '@fairway/cli/testing/release-mirror';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT, run } from './session/running-fairway.ts';

const isSupported = process.platform === 'linux' && process.arch === 'x64';
const why = isSupported ? '' : ' (skipped: the mirror of the test has programs for linux/amd64)';

/** Runs the command as a user would, with a network that does not reach beyond this machine. */
describe.skipIf(!isSupported)(`fairway releases fetch${why}`, () => {
  let data: string;
  let mirror: ReleaseMirror;

  const env = () => ({ XDG_DATA_HOME: data, KUBEBUILDER_ASSETS: '' });
  const fetchArgs = () => ['fairway', 'releases', 'fetch', MIRRORED_RELEASE.version, '--mirror', mirror.url];
  const folder = () => join(data, 'fairway/releases/v1.36.3');

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'fairway-releases-'));
    mirror = await ReleaseMirror.start();
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await rm(data, { recursive: true, force: true });
  });

  test('leaves no release if killed halfway', async () => {
    const path = ReleaseMirror.pathOf('kubelet');
    const requested = Promise.withResolvers<void>();
    mirror.pauses.set(path, Promise.withResolvers());
    mirror.onRequest = (url) => {
      if (url === path) requested.resolve();
    };
    const [, ...args] = fetchArgs();
    const entry = join(PROJECT, 'packages/cli/src/main.ts');
    const child = spawn(process.execPath, [entry, ...args], { env: { ...process.env, ...env() }, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await Promise.race([requested.promise, exited]);
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await exited;

    expect(existsSync(folder())).toBe(false);
    expect((await run('npx', ['fairway', 'releases', 'list'], env())).stderr).toContain('No releases');
  });

  test('completes after a restart, and downloads only what is missing', async () => {
    mirror.pauses.clear();
    mirror.requests.splice(0);

    const fetched = await run('npx', fetchArgs(), env());

    expect(fetched).toMatchObject({ code: 0, stdout: `Kubernetes 1.36.3 is in ${folder()}\n` });
    expect(fetched.stderr).toContain('kubelet: done, sha512 is right');
    expect(mirror.requests).not.toContain(`GET ${ReleaseMirror.pathOf('kube-apiserver')}`);
  });

  test('installs binaries that Fairway finds', async () => {
    const listed = await run('npx', ['fairway', 'releases', 'list'], env());

    expect(listed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1\.36\.3 +\S+v1\.36\.3 +\S+v1\.36\.3\/etcd$/m),
    });
  });

  test('refuses a missing version', async () => {
    const refused = await run('npx', ['fairway', 'releases', 'fetch', '1.36.2', '--mirror', mirror.url], env());

    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has no Kubernetes 1.36.2') });
  });
});
