import { describe, expect, test } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import { minorOf } from '../domain/version-numbers.ts';
import { nextUpgradeVersions, resolveUpgrade, resolveVersion } from '../domain/versions.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { releasesOfPlan } from './version-window.ts';

type VersionWindow = NonNullable<PlanSpec['kubernetes']>;

const NOW_MS = Date.UTC(2026, 10, 22);

function catalogue(kubernetes: VersionWindow, more: { note?: Partial<LimitNote>; running?: string } = {}) {
  const limitNotes = more.note
    ? [{ limit: 'kubernetes' as const, value: '', enforcement: 'Refuse' as const, ...more.note }]
    : [];
  const plan = aPlan({ kubernetes, limitNotes });
  return releasesOfPlan(plan, { releases: SHIPPED_RELEASES, running: more.running, nowMs: NOW_MS });
}

const problemOf = (version: string, releases: ReturnType<typeof catalogue>) => {
  const resolved = resolveVersion(version, releases, NOW_MS);
  return resolved.ok ? undefined : resolved.problem;
};

describe('versions for new clusters', () => {
  test.each<{ kubernetes: VersionWindow; version: string; expectedProblem: string | undefined }>([
    { kubernetes: {}, version: '1.36', expectedProblem: undefined },
    { kubernetes: { newest: '1.35' }, version: '1.35', expectedProblem: undefined },
    {
      kubernetes: { newest: '1.35' },
      version: '1.36',
      expectedProblem: 'is newer than 1.35, the newest version of plan "free"',
    },
    { kubernetes: { oldest: '1.36' }, version: '1.36', expectedProblem: undefined },
    {
      kubernetes: { oldest: '1.36' },
      version: '1.35',
      expectedProblem: 'is older than 1.36, the oldest version of plan "free"',
    },
  ])('with $kubernetes, $version: $expectedProblem', ({ kubernetes, version, expectedProblem }) => {
    const problem = problemOf(version, catalogue(kubernetes));

    // The problem begins with the newest patch in parentheses.
    expect(problem?.replace(/^\([0-9.]{1,9}\) /, '').split(';')[0]).toBe(expectedProblem);
  });

  test("the error lists only versions that the plan allows, and ends with the plan's note", () => {
    const problem = problemOf('1.36', catalogue({ newest: '1.35' }, { note: { reason: 'not certified yet' } }));

    expect(problem).toContain('Not certified yet');
    expect(problem).toContain('1.35 (');
    expect(problem).not.toContain('1.36 (1.36.3);');
    expect(problem?.split('choose one of')[1]).not.toContain('1.36');
  });

  test.each([
    { reason: 'refused versions are never the default', note: {} },
    { reason: 'nor are versions with a warning', note: { enforcement: 'Warn' as const } },
  ])('the default is the newest version that the plan allows: $reason', ({ note }) => {
    const resolved = resolveVersion(undefined, catalogue({ newest: '1.35' }, { note }), NOW_MS);

    expect(resolved.ok && minorOf(resolved.version.version)).toBe('1.35');
  });

  test('a plan that allows none of the versions says so', () => {
    const resolved = resolveVersion(undefined, catalogue({ newest: '1.27' }), NOW_MS);

    expect(resolved).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is newer than 1.27, the newest version of plan "free"'),
    });
  });
});

describe('versions for existing clusters', () => {
  const running = '1.35.0';

  test('a limit excludes upgrades to newer minor versions', () => {
    const releases = catalogue({ newest: '1.35' }, { running });

    expect(nextUpgradeVersions(running, releases, NOW_MS)).toEqual([]);
    expect(resolveUpgrade('1.36', running, releases, NOW_MS)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is newer than 1.35'),
    });
  });

  test('patches of a minor version that the plan no longer allows remain available', () => {
    const releases = catalogue({ newest: '1.34' }, { running });
    const resolved = resolveUpgrade('1.35', running, releases, NOW_MS);

    expect(resolved.ok && resolved.version.version).not.toBe(running);
  });
});
