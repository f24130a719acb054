import { describe, expect, test } from 'vitest';
import type { ClusterStatus } from '../kinds/cluster.ts';
import type { ForcedUpgradeSettings } from '../kinds/forced-upgrade.ts';
import type { KubernetesReleaseSpec } from '../kinds/kubernetes-release.ts';
import { aCluster } from '../testing/objects.ts';
import { aRelease } from '../testing/releases.ts';
import { decideEndOfLife, dueUpgrade, plannedUpgradeMs } from './end-of-life.ts';
import { isForcedTo, overruledVersion, requestedVersion } from './forced-upgrade.ts';
import { minorsInUse } from './in-use.ts';
import { followedMinor } from './update-policy.ts';

const DATE = '2026-10-27';
const at = (time: string) => Date.parse(time);
const settings = (more: Partial<ForcedUpgradeSettings> = {}): Partial<KubernetesReleaseSpec> => ({
  endOfLife: DATE,
  forcedUpgrade: { gracePeriod: '240h', notice: '48h', exempt: [], ...more },
});
type EndOfLifeNotice = NonNullable<ClusterStatus['endOfLife']>;
const reported = (time: string, more: Partial<EndOfLifeNotice> = {}): EndOfLifeNotice => ({
  minor: '1.34',
  date: DATE,
  notice: 0,
  noticeTime: '2026-10-27T00:00:00Z',
  upgrade: { to: '1.35', time },
  ...more,
});

interface Case {
  readonly now: string;
  readonly spec?: Partial<KubernetesReleaseSpec>;
  readonly before?: EndOfLifeNotice;
  readonly hasNext?: boolean;
}

function facts({ spec = settings(), before, hasNext = true }: Case) {
  const metadata = { name: 'demo', namespace: 'team' };
  const status = { version: '1.34.2', ...(before && { endOfLife: before }) };
  const releases = [aRelease('1.34', spec), ...(hasNext ? [aRelease('1.35')] : [])];
  return [{ metadata, status }, releases] as const;
}

const planned = (testCase: Case) => decideEndOfLife(...facts(testCase), at(testCase.now))?.upgrade;

describe('the planned time for a forced upgrade', () => {
  test.each<Case & { reason: string; time: string | undefined }>([
    { reason: 'no time more than 30 days before the end of life', now: '2026-09-26', time: undefined },
    { reason: 'the grace period after the end of life', now: '2026-10-01', time: '2026-11-06T00:00:00Z' },
    {
      reason: 'the end of the notice period if the notice is late',
      now: '2026-11-05T12:00:00Z',
      time: '2026-11-07T12:00:00Z',
    },
    {
      reason: 'a full hour after the notice period',
      now: '2026-11-05T12:00:01Z',
      time: '2026-11-07T13:00:00Z',
    },
    {
      reason: 'a full hour if the operator ended support',
      now: '2026-06-01T00:20:00Z',
      spec: { ...settings({ gracePeriod: '240h30m' }), phaseOverride: 'EndOfLife' },
      time: '2026-06-11T01:00:00Z',
    },
    {
      reason: 'an announced time, although the clock of this replica is still in the previous hour',
      now: '2026-11-05T11:59:58Z',
      before: reported('2026-11-07T13:00:00Z'),
      time: '2026-11-07T13:00:00Z',
    },
    { reason: 'no time without forced upgrades', now: '2026-12-01', spec: { endOfLife: DATE }, time: undefined },
    { reason: 'no time without a target version', now: '2026-12-01', hasNext: false, time: undefined },
    {
      reason: 'an announced time that gets closer',
      now: '2026-11-06T12:00:00Z',
      before: reported('2026-11-07T12:00:00Z'),
      time: '2026-11-07T12:00:00Z',
    },
    {
      reason: 'an announced time while no target version exists',
      now: '2026-11-06T12:00:00Z',
      before: reported('2026-11-07T12:00:00Z'),
      hasNext: false,
      time: '2026-11-07T12:00:00Z',
    },
    {
      reason: 'a later time if the end of life moves later',
      now: '2026-11-06',
      spec: { ...settings(), endOfLife: '2026-10-30' },
      before: reported('2026-11-06T00:00:00Z'),
      time: '2026-11-09T00:00:00Z',
    },
    {
      reason: 'an earlier time, but with notice, if the grace period gets shorter',
      now: '2026-10-28',
      spec: settings({ gracePeriod: '0h' }),
      before: reported('2026-11-06T00:00:00Z'),
      time: '2026-10-30T01:00:00Z',
    },
    {
      reason: 'an unchanged time if the notice period gets longer',
      now: '2026-11-05',
      spec: settings({ notice: '2160h' }),
      before: reported('2026-11-06T00:00:00Z'),
      time: '2026-11-06T00:00:00Z',
    },
    {
      reason: 'an unchanged time announced by a replica whose clock is ahead',
      now: '2026-11-05T12:00:00Z',
      before: reported('2026-11-07T12:00:03Z'),
      time: '2026-11-07T12:00:03Z',
    },
    {
      reason: 'a time counted from the notice if the operator ended support',
      now: '2026-06-01',
      spec: { ...settings(), phaseOverride: 'EndOfLife' },
      time: '2026-06-11T00:00:00Z',
    },
    {
      reason: 'an unchanged time if the date passes after the operator ended support',
      now: '2026-10-28',
      spec: { ...settings({ gracePeriod: '4800h' }), phaseOverride: 'EndOfLife' },
      before: reported('2026-12-18T00:00:00Z', { noticeTime: '2026-06-01T00:00:00Z' }),
      time: '2026-12-18T00:00:00Z',
    },
    {
      reason: 'no time if the operator supports the version longer',
      now: '2026-11-01',
      spec: { ...settings(), phaseOverride: 'Deprecated' },
      before: reported('2026-11-06T00:00:00Z'),
      time: undefined,
    },
  ])('is $time: $reason', ({ time, ...testCase }) => {
    expect(planned(testCase)).toEqual(time === undefined ? undefined : { to: '1.35', time });
  });

  test.each([
    { exempt: [{ namespace: 'team' }], isExempt: true },
    { exempt: [{ namespace: 'team', name: 'demo' }], isExempt: true },
    { exempt: [{ namespace: 'team', name: 'other' }, { namespace: 'other' }], isExempt: false },
  ])('is undefined only for exempt clusters: $exempt', ({ exempt, isExempt }) => {
    const spec = settings({ exempt });

    expect(planned({ now: '2026-10-28', spec }) === undefined).toBe(isExempt);
    expect(planned({ now: '2026-10-28', spec, before: reported('2026-11-06T00:00:00Z') }) === undefined).toBe(isExempt);
  });

  test('makes the upgrade due, but only if a notice was given', () => {
    const before = reported('2026-11-06T00:00:00Z');
    const due = (testCase: Case) => dueUpgrade(...facts(testCase), at(testCase.now));

    expect(due({ now: '2026-11-05T23:59:59Z', before })).toBeUndefined();
    expect(due({ now: '2026-11-06T00:00:00Z', before })).toBe('1.35');
    expect(due({ now: '2027-11-06' })).toBeUndefined();
    const [cluster] = facts({ now: '', before });
    expect(plannedUpgradeMs(cluster, at('2026-11-05'))).toBe(at('2026-11-06'));
    expect(plannedUpgradeMs(cluster, at('2026-11-06'))).toBeUndefined();
  });
});

describe('spec.version of a cluster force-upgraded from 1.34.2 to 1.35.2', () => {
  const forcedUpgrade = { from: '1.34.2', to: '1.35.2', time: '2026-11-06T00:00:00Z' };
  const after = (version: string | undefined, requested: string | undefined, status: ClusterStatus) => ({
    ...aCluster(version === undefined ? {} : { version }),
    status: { ...status, forcedUpgrade: { ...forcedUpgrade, ...(requested !== undefined && { asked: requested }) } },
  });
  const runs = { version: '1.35.2', desiredVersion: '1.35.2' };

  test.each([
    { version: '1.34', asked: '1.34', counts: '1.35', isOverruled: true, why: 'the minor version is unchanged' },
    { version: '1.34.2', asked: '1.34.2', counts: '1.35', isOverruled: true, why: 'the exact version is unchanged' },
    { version: undefined, asked: undefined, counts: undefined, isOverruled: false, why: 'no version is specified' },
    { version: '1.35', asked: '1.34', counts: '1.35', isOverruled: false, why: 'the minor version was raised' },
    {
      version: '1.35.2',
      asked: '1.34',
      counts: '1.35.2',
      isOverruled: false,
      why: 'an exact version was specified since then',
    },
    {
      version: '1.36',
      asked: undefined,
      counts: '1.36',
      isOverruled: false,
      why: 'a newer version was specified from the start',
    },
  ])('interprets $version as $counts: $why', ({ version, asked, counts, isOverruled }) => {
    const cluster = after(version, asked, runs);

    expect(requestedVersion(cluster)).toBe(counts);
    expect(overruledVersion(cluster) !== undefined).toBe(isOverruled);
  });

  test('applies as written until the cluster runs the new version', () => {
    const cluster = after('1.34', '1.34', { version: '1.34.2', desiredVersion: '1.35.2' });

    expect(requestedVersion(cluster)).toBe('1.34');
    expect(overruledVersion(cluster)).toBeUndefined();
  });

  test('lets the cluster follow the new minor version, and no longer keeps the old release in use', () => {
    const cluster = after('1.34', '1.34', runs);

    expect(followedMinor(cluster)).toBe('1.35');
    expect([...minorsInUse(cluster)]).toEqual(['1.35']);
    expect(overruledVersion(cluster)).toBe(
      'spec.version (1.34): Kubernetes 1.34 has reached its end of life, and Fairway upgraded the cluster to 1.35 on 2026-11-06 and installs its patches by updatePolicy: set it to 1.35',
    );
  });

  test('detects whether the user confirmed the new version', () => {
    expect(isForcedTo(after('1.34', '1.34', runs), '1.35.3')).toBe(true);
    expect(isForcedTo(after(undefined, undefined, runs), '1.35.2')).toBe(true);
    expect(isForcedTo(after('1.35', '1.34', runs), '1.35.2')).toBe(false);
    expect(isForcedTo(after('1.34', '1.34', runs), '1.36.0')).toBe(false);
  });
});
