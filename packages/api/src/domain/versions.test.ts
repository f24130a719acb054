import { describe, expect, it } from 'vitest';
import { API_VERSION } from '../group.ts';
import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';
import { minorOf } from './version-numbers.ts';
import {
  isKubeletSkewAllowed,
  nextUpgradeVersions,
  resolveUpgrade,
  resolveVersion,
  upgradeProblem,
} from './versions.ts';

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
      phaseOverride: phase,
      source: 'test',
      patches: patches.map((patch) => ({ version: `${minor}.${patch}`, withdrawn: withdrawn.includes(patch) })),
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
  };
}

const NOW = Date.UTC(2026, 10, 22);

const RELEASES = [
  release('1.37', 'Preview', [0]),
  release('1.36', 'Supported', [0, 2, 10], [10]),
  release('1.35', 'Supported', [9, 10]),
  release('1.34', 'Deprecated', [3]),
  release('1.33', 'EndOfLife', [1]),
];

describe('resolveVersion', () => {
  it.each([
    { requested: undefined, version: '1.36.2', reason: 'version 10 is newer than version 9' },
    { requested: '1.35', version: '1.35.10', reason: 'the version 10 is newer than 9' },
    { requested: '1.35.9', version: '1.35.9', reason: 'exact' },
    { requested: '1.37', version: '1.37.0', reason: 'a preview can be selected' },
  ])('resolves $requested to $version: $reason', ({ requested, version }) => {
    expect(resolveVersion(requested, RELEASES, NOW)).toMatchObject({ ok: true, version: { version } });
  });

  it.each([
    ['1.36.10', 'has been withdrawn'],
    ['1.34', 'is deprecated'],
    ['1.33.1', 'has reached its end of life'],
    ['1.30', 'is not in the catalog; choose one of 1.35 (1.35.10), 1.36 (1.36.2), 1.37 (1.37.0)'],
    ['1.35.1', 'is not in the catalog'],
  ])('refuses %s: %s', (requested, problem) => {
    const resolved = resolveVersion(requested, RELEASES, NOW);
    expect(resolved).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('refuses everything if the catalogue is empty', () => {
    expect(resolveVersion(undefined, [], NOW)).toEqual({
      ok: false,
      problem: 'the catalog has no version',
      isMissing: false,
    });
  });
});

describe('resolveUpgrade', () => {
  it.each([
    { current: '1.34.3', requested: '1.34', version: '1.34.3', reason: 'a deprecated version can stay' },
    {
      current: '1.20.1',
      requested: undefined,
      version: '1.20.1',
      reason: 'a version missing from the catalogue can stay',
    },
    { current: '1.35.9', requested: undefined, version: '1.35.9', reason: 'no version is requested' },
    { current: '1.35.9', requested: '1.35', version: '1.35.10', reason: 'the newest patch' },
    {
      current: '1.36.10',
      requested: '1.36',
      version: '1.36.10',
      reason: 'a downgrade to an older patch is not allowed',
    },
    { current: '1.35.9', requested: '1.36', version: '1.36.2', reason: 'an upgrade by one minor version' },
    {
      current: '1.34.3',
      requested: '1.35.9',
      version: '1.35.9',
      reason: 'an upgrade to an exact version of the next minor version',
    },
    { current: '1.35.9', requested: '1.35.10', version: '1.35.10', reason: 'an exact patch version' },
    {
      current: '1.33.1',
      requested: '1.34',
      version: '1.34.3',
      reason: 'a deprecated version is the only upgrade path',
    },
    {
      current: '1.32.9',
      requested: '1.33',
      version: '1.33.1',
      reason: 'a version at its end of life is the only upgrade path',
    },
  ])('resolves an upgrade from $current to $requested to $version: $reason', ({ current, requested, version }) => {
    expect(resolveUpgrade(requested, current, RELEASES, NOW)).toMatchObject({ ok: true, version: { version } });
  });

  it.each([
    ['1.34.3', '1.36', 'upgrade to 1.35 first'],
    ['1.35.9', '1.34', 'cannot be downgraded'],
    ['1.35.10', '1.35.9', 'cannot be downgraded'],
    ['1.35.9', '1.36.10', 'has been withdrawn'],
    ['1.35.9', '1.35.11', 'is not in the catalog'],
  ])('refuses the upgrade from %s to %s: %s', (current, requested, problem) => {
    const resolved = resolveUpgrade(requested, current, RELEASES, NOW);
    expect(resolved).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('upgradeProblem', () => {
  it.each([
    ['1.35.1', '1.35', undefined],
    ['1.35.1', '1.36.0', undefined],
    ['1.35.1', '2.0', 'another major version'],
    ['1.35.1', '1.37', 'skips a minor version'],
  ])('validates the upgrade from %s to %s', (current, requested, problem) => {
    expect(upgradeProblem(current, requested) ?? '').toContain(problem ?? '');
    expect(upgradeProblem(current, requested) === undefined).toBe(problem === undefined);
  });
});

describe('nextUpgradeVersions', () => {
  it.each([
    ['1.35.9', ['1.36']],
    ['1.33.1', ['1.34']],
    ['1.37.0', []],
  ])('returns the next versions of %s: %j', (current, next) => {
    expect(nextUpgradeVersions(current, RELEASES, NOW)).toEqual(next);
  });
});

describe('the version for new clusters', () => {
  const version = (releases: readonly KubernetesRelease[], requested?: string) =>
    resolveVersion(requested, releases, NOW);
  const withStatus = (one: KubernetesRelease, status: KubernetesRelease['status']) => ({
    ...one,
    status: status ?? {},
  });
  const rollout = { version: '1.36.2', summary: '', total: 9, updated: 0, waiting: 9, moving: [], failed: [] };

  it('is the newest version whose binaries are present', () => {
    const releases = [
      withStatus(release('1.36', 'Supported', [0, 2]), { available: [] }),
      withStatus(release('1.35', 'Supported', [9, 10]), { available: ['1.35.9'] }),
    ];

    expect(version(releases)).toMatchObject({ ok: true, version: { version: '1.35.9' } });
    expect(version(releases, '1.36')).toMatchObject({
      ok: false,
      isMissing: true,
      problem: expect.stringContaining('fairway releases fetch 1.36.2'),
    });
    expect(version(releases, '1.35.10')).toMatchObject({ isMissing: true });
  });

  it('is undefined if all binaries are missing, with a hint about which command to run', () => {
    expect(version([withStatus(release('1.36', 'Supported', [0, 2]), { available: [] })])).toMatchObject({
      ok: false,
      isMissing: true,
      problem: expect.stringContaining('"fairway releases fetch 1.36.2"'),
    });
  });

  it('is the previous patch if the rollout of the newest one has been halted', () => {
    const halted = withStatus(release('1.36', 'Supported', [0, 2]), { rollout: { ...rollout, state: 'Halted' } });

    expect(version([halted], '1.36')).toMatchObject({ ok: true, version: { version: '1.36.0' } });
    expect(version([halted], '1.36.2')).toMatchObject({ ok: true, version: { version: '1.36.2' } });
  });

  it.each([
    { spec: { minor: '1.39' }, expectedMessage: 'is part of KubernetesRelease 1.36, which the operator must fix' },
    {
      spec: {},
      metadata: { deletionTimestamp: '2026-11-22T00:00:00Z' },
      expectedMessage: 'is being removed from the catalog',
    },
  ])('skips an invalid release: $expectedMessage', ({ spec, metadata, expectedMessage }) => {
    const one = release('1.36', 'Supported', [0]);
    const broken = { ...one, metadata: { ...one.metadata, ...metadata }, spec: { ...one.spec, ...spec } };

    expect(version([broken], '1.36.0')).toMatchObject({ ok: false, problem: expect.stringContaining(expectedMessage) });
  });

  it('is the newest deprecated version if none is supported, but never one that has reached its end of life', () => {
    const deprecated = release('1.34', 'Deprecated', [3]);

    expect(version([deprecated])).toMatchObject({ ok: true, version: { version: '1.34.3' } });
    expect(version([release('1.34', 'EndOfLife', [3])])).toMatchObject({
      ok: false,
      problem: expect.stringContaining('the operator must add newer ones'),
    });
  });
});

describe('isKubeletSkewAllowed', () => {
  it.each([
    ['1.36.2', '1.36', true],
    ['1.33.1', '1.36.0', true],
    ['1.32.9', '1.36', false],
    ['1.37.0', '1.36', false],
    ['v1.33.1', '1.36', true],
    ['1.25.0', '1.27', true],
    ['1.24.0', '1.27', false],
    ['nonsense', '1.36', false],
    ['', '1.36', false],
  ])('is correct for kubelet version "%s" with API server version %s: %s', (kubelet, apiServer, allowed) => {
    expect(isKubeletSkewAllowed(kubelet, apiServer)).toBe(allowed);
  });

  it('rules out the next minor version if nodes are too old', () => {
    expect(nextUpgradeVersions('1.35.9', RELEASES, NOW, '1.33.4')).toEqual(['1.36']);
    expect(nextUpgradeVersions('1.35.9', RELEASES, NOW, '1.32.4')).toEqual([]);
  });
});

describe('minorOf', () => {
  it.each(['v1.34.2', '1.34.2', '1.34'])('parses %s', (version) => {
    expect(minorOf(version)).toBe('1.34');
  });
});
