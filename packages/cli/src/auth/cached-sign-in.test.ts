import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { advanceUntilSettled } from '@fairway/base/testing/advance-until-settled';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import { SignInError } from '@fairway/openstack/sign-in/person';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedSignIn } from './cached-sign-in.ts';
import { processRef } from './process-ref.ts';
import { TokenCache } from './token-cache.ts';

const HOUR_MS = 3_600_000;
let folder: string;
let clock: FakeClock;
let logins: number;
let checks: string[];
/** Tokens that Keystone has revoked. */
let revoked: Set<string>;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'fairway-tokens-')), 'tokens');
  clock = new FakeClock();
  logins = 0;
  checks = [];
  revoked = new Set();
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

function issued(): IssuedToken {
  const id = `token-${++logins}`;
  const project = { id: 'p', name: 'web', domain: { id: 'default', name: 'Default' } };
  const token = { user: { id: 'u', name: 'demo', domain: project.domain }, project } as unknown as IssuedToken['token'];
  return { id, token, expiresAtMs: clock.now() + HOUR_MS };
}

/** Requests a token for process `asker`, through that process's own plugin. */
async function requestToken(
  requester: number,
  signIn: () => Promise<IssuedToken> = async () => issued(),
): Promise<string> {
  const cache = new TokenCache(folder);
  await cache.open();
  const kept = await cachedSignIn({
    cache,
    key: 'key',
    cloud: 'c',
    authUrl: 'https://cloud/v3',
    clock,
    signal: new AbortController().signal,
    self: processRef(process.pid),
    requester: { pid: requester, started: '1' },
    signIn,
    isAccepted: (token) => {
      checks.push(token);
      return Promise.resolve(!revoked.has(token));
    },
    onWait: () => {},
  });
  return kept.token;
}

describe('a cached token', () => {
  it('serves many runs of kubectl with one sign-in', async () => {
    for (let run = 0; run < 20; run++) expect(await requestToken(run)).toBe('token-1');

    expect(logins).toBe(1);
    expect(checks).toEqual([]);
  });

  it('is replaced shortly before it expires', async () => {
    await requestToken(1);
    await clock.advance(HOUR_MS - 5 * 60_000 - 1);
    expect(await requestToken(2)).toBe('token-1');
    await clock.advance(1);

    expect(await requestToken(3)).toBe('token-2');
  });

  it('is readable only by its owner, and so is its directory', async () => {
    await requestToken(1);
    const modes = await Promise.all(
      [folder, join(folder, 'key.json')].map(async (path) => (await stat(path)).mode & 0o777),
    );

    expect(modes).toEqual([0o700, 0o600]);
    expect(await readdir(folder)).toEqual(['key.json']);
  });

  it.each([
    { reason: 'others can read', spoil: (path: string) => chmod(path, 0o644) },
    {
      reason: 'is truncated',
      spoil: async (path: string) => writeFile(path, (await readFile(path, 'utf8')).slice(0, 40)),
    },
  ])('is not used from a file that $reason', async ({ spoil }) => {
    await requestToken(1);
    await spoil(join(folder, 'key.json'));

    expect(await requestToken(2)).toBe('token-2');
  });

  describe('when requested again by the same process after a server responded with 401', () => {
    it('is readable only by its owner, like its directory', async () => {
      await requestToken(1);

      expect(await requestToken(1)).toBe('token-1');
      expect(checks).toEqual(['token-1']);
    });

    it('is replaced for all processes if it was revoked', async () => {
      await requestToken(1);
      revoked.add('token-1');

      expect(await requestToken(1)).toBe('token-2');
      expect(await requestToken(2)).toBe('token-2');
      expect(logins).toBe(2);
    });
  });

  it('needs only one sign-in for many concurrent processes', async () => {
    const slow = async () => {
      await clock.sleep(2_000);
      return issued();
    };
    const all = Promise.all(Array.from({ length: 10 }, (_, run) => requestToken(run, slow)));

    expect(new Set(await advanceUntilSettled(clock, all))).toEqual(new Set(['token-1']));
    expect(logins).toBe(1);
  });

  it('is requested once by many concurrent processes even if the sign-in fails, and again by a later process', async () => {
    let tries = 0;
    const refuse = async (): Promise<IssuedToken> => {
      tries++;
      await clock.sleep(2_000);
      throw new SignInError('the password is wrong', { advice: 'try another' });
    };
    const all = Promise.allSettled(Array.from({ length: 10 }, (_, run) => requestToken(run, refuse)));

    const messages = (await advanceUntilSettled(clock, all)).map((end) =>
      end.status === 'rejected' ? (end.reason as Error).message : 'a token',
    );
    expect(new Set(messages)).toEqual(new Set(['the password is wrong']));
    expect(tries).toBe(1);
    await clock.advance(1);
    expect(await requestToken(20)).toBe('token-1');
  });

  it('triggers the removal of expired tokens that belong to other entries', async () => {
    await requestToken(1);
    await writeFile(join(folder, 'old.json'), await readFile(join(folder, 'key.json'), 'utf8'), { mode: 0o600 });
    await clock.advance(2 * HOUR_MS);
    await requestToken(2);

    expect(await readdir(folder)).toEqual(['key.json']);
  });
});
