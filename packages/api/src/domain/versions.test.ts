import { describe, expect, it } from 'vitest';
import { API_VERSION } from '../group.ts';
import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';
import { minorOf, nextUpgradeVersions, resolveUpgrade, resolveVersion, upgradeProblem } from './versions.ts';

function release(
  minor: string,
  phase: ReleasePhase,
  patches: readonly number[],
  withdrawn: readonly number[] = [],
): KubernetesRelease {
  return {
    apiVersion: API_VERSION,
    kind: 'KubernetesRelease',
    metadata: { name: minor },
    spec: {
      minor,
      phase,
      source: 'test',
      patches: patches.map((patch) => ({ version: `${minor}.${patch}`, withdrawn: withdrawn.includes(patch) })),
      components: {},
    },
  };
}

const RELEASES = [
  release('1.37', 'Preview', [0]),
  release('1.36', 'Supported', [0, 2, 10], [10]),
  release('1.35', 'Supported', [9, 10]),
  release('1.34', 'Deprecated', [3]),
  release('1.33', 'EndOfLife', [1]),
];

describe('resolveVersion', () => {
  it.each([
    { requested: undefined, version: '1.36.2', reason: 'the newest supported, neither preview nor withdrawn' },
    { requested: '1.35', version: '1.35.10', reason: '10 comes after 9' },
    { requested: '1.35.9', version: '1.35.9', reason: 'exact' },
    { requested: '1.37', version: '1.37.0', reason: 'a preview may be chosen' },
  ])('$requested is $version: $reason', ({ requested, version }) => {
    expect(resolveVersion(requested, RELEASES)).toMatchObject({ ok: true, version: { version } });
  });

  it.each([
    ['1.36.10', 'has been withdrawn'],
    ['1.34', 'is deprecated'],
    ['1.33.1', 'is at its end of life'],
    ['1.30', 'is not in the catalogue; choose one of 1.35 (1.35.10), 1.36 (1.36.2), 1.37 (1.37.0)'],
    ['1.35.1', 'is not in the catalogue'],
  ])('refuses %s: %s', (requested, problem) => {
    const resolved = resolveVersion(requested, RELEASES);
    expect(resolved).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('says so when nothing is offered', () => {
    expect(resolveVersion(undefined, [])).toEqual({ ok: false, problem: 'the catalogue offers no version' });
  });
});

describe('resolveUpgrade', () => {
  it.each([
    { current: '1.34.3', requested: '1.34', version: '1.34.3', reason: 'a deprecated version may stay' },
    { current: '1.20.1', requested: undefined, version: '1.20.1', reason: 'so may one that is not listed any more' },
    { current: '1.35.9', requested: undefined, version: '1.35.9', reason: 'nothing asked for' },
    { current: '1.35.9', requested: '1.35', version: '1.35.10', reason: 'the newest patch' },
    { current: '1.36.10', requested: '1.36', version: '1.36.10', reason: 'never back to an older patch' },
    { current: '1.35.9', requested: '1.36', version: '1.36.2', reason: 'one minor up' },
    { current: '1.34.3', requested: '1.35.9', version: '1.35.9', reason: 'one minor up, exact' },
    { current: '1.35.9', requested: '1.35.10', version: '1.35.10', reason: 'exact patch' },
  ])('$current to $requested is $version: $reason', ({ current, requested, version }) => {
    expect(resolveUpgrade(requested, current, RELEASES)).toMatchObject({ ok: true, version: { version } });
  });

  it.each([
    ['1.34.3', '1.36', 'upgrade to 1.35 first'],
    ['1.35.9', '1.34', 'cannot be downgraded'],
    ['1.35.10', '1.35.9', 'cannot be downgraded'],
    ['1.35.9', '1.36.10', 'has been withdrawn'],
    ['1.33.1', '1.34', 'is deprecated'],
    ['1.35.9', '1.35.11', 'is not in the catalogue'],
  ])('refuses %s to %s: %s', (current, requested, problem) => {
    const resolved = resolveUpgrade(requested, current, RELEASES);
    expect(resolved).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('upgradeProblem', () => {
  it.each([
    ['1.35.1', '1.35', undefined],
    ['1.35.1', '1.36.0', undefined],
    ['1.35.1', '2.0', 'another major version'],
    ['1.35.1', '1.37', 'skips a minor version'],
  ])('%s to %s', (current, requested, problem) => {
    expect(upgradeProblem(current, requested) ?? '').toContain(problem ?? '');
    expect(upgradeProblem(current, requested) === undefined).toBe(problem === undefined);
  });
});

describe('nextUpgradeVersions', () => {
  it.each([
    ['1.35.9', ['1.36']],
    ['1.33.1', []],
    ['1.37.0', []],
  ])('of %s are %j', (current, next) => {
    expect(nextUpgradeVersions(current, RELEASES)).toEqual(next);
  });
});

describe('minorOf', () => {
  it.each(['v1.34.2', '1.34.2', '1.34'])('%s', (version) => {
    expect(minorOf(version)).toBe('1.34');
  });
});
