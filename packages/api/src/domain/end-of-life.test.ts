import { describe, expect, test } from 'vitest';
import type { Cluster } from '../kinds/cluster.ts';
import type { EndOfLifeStatus } from '../kinds/cluster-end-of-life.ts';
import type { KubernetesReleaseSpec } from '../kinds/kubernetes-release.ts';
import { aRelease } from '../testing/releases.ts';
import { decideEndOfLife, nextNoticeMs, noticeOf } from './end-of-life.ts';

const DATE = '2026-10-27';
const release = (spec: Partial<KubernetesReleaseSpec> = {}) => aRelease('1.34', { endOfLife: DATE, ...spec });
const at = (time: string) => Date.parse(time);

test.each([
  { now: '2026-09-26T23:59:59Z', days: undefined, next: '2026-09-27' },
  { now: '2026-09-27T00:00:00Z', days: 30, next: '2026-10-20' },
  { now: '2026-10-19T23:59:59Z', days: 30, next: '2026-10-20' },
  { now: '2026-10-20T00:00:00Z', days: 7, next: '2026-10-26' },
  { now: '2026-10-26T00:00:00Z', days: 1, next: '2026-10-27' },
  { now: '2026-10-27T00:00:00Z', days: 0, next: undefined },
  { now: '2030-01-01T00:00:00Z', days: 0, next: undefined },
])('issues the $days-day notice at $now, and the next notice at $next', ({ now, days, next }) => {
  expect(noticeOf(release(), at(now))?.days).toBe(days);
  expect(nextNoticeMs(release(), at(now))).toBe(next && at(next));
});

test.each<{ reason: string; spec: Partial<KubernetesReleaseSpec>; now: string; notice: object | undefined }>([
  { reason: 'the date is unknown', spec: { endOfLife: undefined }, now: '2030-01-01', notice: undefined },
  {
    reason: 'the operator supports the version longer',
    spec: { phaseOverride: 'Supported' },
    now: '2030-01-01',
    notice: undefined,
  },
  {
    reason: 'the operator ended support before the date',
    spec: { phaseOverride: 'EndOfLife' },
    now: '2026-01-01',
    notice: { days: 0, date: undefined },
  },
  {
    reason: 'the operator ended support, and the date has passed',
    spec: { phaseOverride: 'EndOfLife' },
    now: '2026-11-01',
    notice: { days: 0, date: DATE },
  },
  { reason: 'the date is invalid', spec: { endOfLife: '2026-99-99' }, now: '2030-01-01', notice: undefined },
])('returns the notice $notice if $reason', ({ spec, now, notice }) => {
  expect(noticeOf(release(spec), at(now))).toEqual(notice);
});

describe('the end-of-life notice of a cluster', () => {
  const reported: EndOfLifeStatus = { minor: '1.34', date: DATE, notice: 30, noticeTime: '2026-09-27T00:00:00Z' };
  const decide = (now: string, endOfLife: EndOfLifeStatus | undefined, spec = {}, version = '1.34.2') => {
    const cluster: Pick<Cluster, 'metadata' | 'status'> = {
      metadata: {},
      status: { version, ...(endOfLife && { endOfLife }) },
    };
    return decideEndOfLife(cluster, [release(spec), aRelease('1.35')], at(now));
  };

  test('stays unchanged', () => {
    expect(decide('2026-10-01', reported)).toBe(reported);
  });

  test.each([
    { what: 'the next notice', now: '2026-10-20', spec: {}, gets: { notice: 7, date: DATE } },
    {
      what: 'another date',
      now: '2026-10-01',
      spec: { endOfLife: '2026-10-28' },
      gets: { notice: 30, date: '2026-10-28' },
    },
  ])('is updated with $what', ({ now, spec, gets }) => {
    expect(decide(now, reported, spec)).toEqual({ minor: '1.34', ...gets, noticeTime: `${now}T00:00:00Z` });
  });

  test.each([
    {
      what: 'the date moves far into the future',
      now: '2026-10-01',
      spec: { endOfLife: '2027-10-28' },
      version: '1.34.2',
    },
    { what: 'the cluster runs a newer minor version', now: '2026-10-01', spec: {}, version: '1.35.0' },
    { what: 'the catalogue does not contain the release', now: '2026-10-01', spec: {}, version: '1.33.0' },
  ])('is removed if $what', ({ now, spec, version }) => {
    expect(decide(now, reported, spec, version)).toBeUndefined();
  });

  test.each([
    { notice: 30, before: '30 days' },
    { notice: 7, before: '7 days' },
  ])('is not changed by a replica whose clock is $before behind', ({ notice }) => {
    const dueMs = at(DATE) - notice * 86_400_000;
    const justReported = { ...reported, notice, noticeTime: new Date(dueMs).toISOString() };
    const decideAt = (nowMs: number) =>
      decideEndOfLife({ metadata: {}, status: { version: '1.34.2', endOfLife: justReported } }, [release({})], nowMs);

    expect(decideAt(dueMs - 2_000)).toBe(justReported);
    expect(decideAt(dueMs + 2_000)).toBe(justReported);
    // A working replica's clock never lags that far behind.
    expect(decideAt(dueMs - 3_600_000)).not.toBe(justReported);
  });
});
