import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccessGuard } from './access-guard.ts';

const endpoint = { host: '198.51.100.9', port: 20_443 };

/** Simulates nft: accepts its input, and lists the entries added to the map of endpoints. */
class FakeNft {
  readonly scripts: string[] = [];
  failure: Error | undefined;
  listed: readonly (readonly [uid: string, address: string, port: number])[] = [];
  checks = 0;

  run = (args: readonly string[], input = ''): Promise<string> => {
    if (args.includes('list')) {
      const elem = this.listed.map(([uid, address, port]) => [
        { concat: [address, port] },
        { jump: { target: `input-${uid}` } },
      ]);
      return Promise.resolve(JSON.stringify({ nftables: [{ metainfo: {} }, { map: { elem } }] }));
    }
    if (args.includes('--check')) this.checks++;
    if (this.failure) return Promise.reject(this.failure);
    if (!args.includes('--check')) this.scripts.push(input);
    return Promise.resolve('');
  };
}

let nft: FakeNft;
let clock: FakeClock;
let changed: string[];
let guard: AccessGuard;
beforeEach(() => {
  nft = new FakeNft();
  clock = new FakeClock();
  changed = [];
  guard = open();
});

function open(more: Partial<ConstructorParameters<typeof AccessGuard>[0]> = {}): AccessGuard {
  const onChange = (uid: string) => void changed.push(uid);
  return new AccessGuard({
    homeId: 'a1',
    nft: nft.run,
    alwaysAllowed: [],
    onChange,
    clock,
    log: silentLogger,
    ...more,
  });
}

function desired(sources: readonly string[] | undefined, more = {}) {
  return { clusterUid: 'uid-1', endpoint, sources, mayAct: () => true, ...more };
}

describe('an API server with allowed addresses', () => {
  test('is restricted in one transaction, and not again while nothing changes', async () => {
    expect(await guard.ensure(desired(['192.0.2.0/24']))).toEqual({ kind: 'enforced' });
    expect(await guard.ensure(desired(['192.0.2.0/24']))).toEqual({ kind: 'enforced' });
    await guard.ensure(desired(['192.0.2.0/24', '203.0.113.7']));

    expect(nft.scripts.length).toBe(2);
    expect(nft.scripts[1]).toContain('add element inet fairway_a1 sources-uid-1 { 192.0.2.0/24, 203.0.113.7 }');
    expect(nft.scripts[1]).toContain('{ 198.51.100.9 . 20443 : jump input-uid-1 }');
  });

  test('admits addresses that the operator always allows, except IPv6 addresses, which cannot reach it', async () => {
    guard = open({ alwaysAllowed: ['198.51.100.0/28', 'fd00::/8'] });
    await guard.ensure(desired(['192.0.2.0/24']));

    expect(nft.scripts[0]).toContain('sources-uid-1 { 192.0.2.0/24, 198.51.100.0/28 }');
  });

  test('admits no clients if no address remains', async () => {
    await guard.ensure(desired([]));

    expect(nft.scripts[0]).not.toContain('add element inet fairway_a1 sources-uid-1');
    expect(nft.scripts[0]).toContain('ip saddr != @sources-uid-1');
  });

  test('has its rules restored after a firewall reload, and reports if that fails', async () => {
    await guard.ensure(desired(['192.0.2.0/24']));
    await clock.advance(30_000);
    const repeated = nft.scripts.length;
    nft.failure = new Error('netlink: Operation not permitted');
    await clock.advance(60_000);
    const failed = await guard.ensure(desired(['192.0.2.0/24']));
    nft.failure = undefined;
    await clock.advance(30_000);

    expect(repeated).toBe(2);
    expect(nft.scripts[1]).toBe(nft.scripts[0]);
    expect(failed).toMatchObject({ kind: 'failed', problem: expect.stringContaining('not permitted') });
    expect(changed).toEqual(['uid-1', 'uid-1']);
  });

  test('is left to the process that now manages it', async () => {
    let mayAct = true;
    await guard.ensure(desired(['192.0.2.0/24'], { mayAct: () => mayAct }));
    mayAct = false;
    await clock.advance(60_000);
    const state = await guard.ensure(desired(['203.0.113.0/24'], { mayAct: () => mayAct }));

    expect(nft.scripts.length).toBe(1);
    expect(state.kind).toBe('failed');
  });

  test('needs no rules on a loopback address', async () => {
    const loopback = { endpoint: { host: '127.0.0.1', port: 20_443 } };

    expect(await guard.ensure(desired(['192.0.2.0/24'], loopback))).toEqual({ kind: 'enforced' });
    expect(await guard.problemAt('127.0.0.1')).toBeUndefined();
    expect(nft.scripts).toEqual([]);
  });

  test.each([
    { reason: 'an nft statement', clusterUid: 'x }; flush ruleset; add set inet y {' },
    { reason: 'an additional line', clusterUid: 'x\nflush ruleset' },
  ])('never gets rules for a UID that contains $reason', async ({ clusterUid }) => {
    await expect(guard.ensure(desired(['192.0.2.0/24'], { clusterUid }))).rejects.toThrow('is not the UID');
    expect(nft.scripts).toEqual([]);
  });
});

describe('a machine that cannot restrict access', () => {
  test.each([
    { reason: 'has no nft', nft: undefined, message: 'nft is not on PATH' },
    {
      reason: 'does not run Fairway as root',
      nft: () => Promise.reject(new Error('nft: Operation not permitted')),
      message: 'Operation not permitted',
    },
  ])('is reported, along with what to do, if it $reason', async ({ nft: broken, message }) => {
    guard = open({ nft: broken });

    const problem = await guard.problemAt(endpoint.host);
    expect(problem).toContain(message);
    expect(problem).toContain('the operator must install nftables, and run Fairway as root');
    expect(await guard.ensure(desired(['192.0.2.0/24']))).toEqual({ kind: 'unavailable', problem });
    expect(await guard.ensure(desired(undefined))).toEqual({ kind: 'open' });
  });

  test('is checked again after a minute', async () => {
    nft.failure = new Error('nft: not yet');
    await guard.problemAt(endpoint.host);
    await guard.problemAt(endpoint.host);
    expect(nft.checks).toBe(1);

    nft.failure = undefined;
    await clock.advance(60_000);
    expect(await guard.problemAt(endpoint.host)).toBeUndefined();
  });

  test('does not accept IPv4 ranges for API servers on IPv6', async () => {
    expect(await guard.problemAt('2001:db8::1')).toContain('IPv6');
  });
});

describe('kernel rules', () => {
  test('are lifted if a cluster allows all clients again after Fairway was killed', async () => {
    nft.listed = [['uid-1', endpoint.host, endpoint.port]];

    expect(await guard.ensure(desired(undefined))).toEqual({ kind: 'open' });
    await guard.ensure(desired(undefined));

    expect(nft.scripts.length).toBe(1);
    expect(nft.scripts[0]).toContain('delete chain inet fairway_a1 input-uid-1');
  });

  test('are removed for clusters that no longer exist', async () => {
    nft.listed = [
      ['uid-1', endpoint.host, 20_443],
      ['gone', endpoint.host, 20_444],
    ];
    await guard.removeUnknown((uid) => uid === 'uid-1');

    expect(nft.scripts.length).toBe(1);
    expect(nft.scripts[0]).toContain('delete element inet fairway_a1 input_by_endpoint { 198.51.100.9 . 20444 }');
    expect(nft.scripts[0]).not.toContain('uid-1');
  });
});
