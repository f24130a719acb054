import { FEATURE_NAMES, type LimitNote } from '@fairway/api/kinds/plan-limits';
import { isFeatureAllowed } from '@fairway/api/limits/features';
import { enforcementOf } from '@fairway/api/limits/notes';
import { windowProblem } from '@fairway/api/limits/version-window';
import { aPlan } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { featureLimit, limitRows, safeLink, versionLimit } from './plan-limits.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 23, 59);
const note = (fields: Partial<LimitNote>): LimitNote => ({
  limit: 'kubernetes',
  value: '',
  enforcement: 'Refuse',
  ...fields,
});

const NOTES: readonly { readonly reason: string; readonly notes: LimitNote[] }[] = [
  { reason: 'without notes', notes: [] },
  { reason: 'with a note', notes: [note({ reason: 'untested' })] },
  { reason: 'with a note on another limit', notes: [note({ limit: 'cni.allowed', enforcement: 'Warn' })] },
  { reason: 'that only warn', notes: [note({ enforcement: 'Warn' })] },
  { reason: 'of which one version only warns', notes: [note({}), note({ value: '1.36', enforcement: 'Warn' })] },
  { reason: 'that start today', notes: [note({ since: '2026-11-30' })] },
  { reason: 'that start tomorrow', notes: [note({ since: '2026-12-01' })] },
  { reason: 'that end tomorrow', notes: [note({ until: '2026-12-01' })] },
  { reason: 'that end today', notes: [note({ until: '2026-11-30' })] },
];

describe.each(NOTES)('limits $reason', ({ notes }) => {
  test.each(['1.33', '1.34', '1.35', '1.36', '2.1'])('have the same effect on version %s as in the API', (minor) => {
    const plan = aPlan({ kubernetes: { oldest: '1.34', newest: '1.35' }, limitNotes: notes });
    const isBeyond = windowProblem(plan, minor) !== undefined;
    const { enforcement } = enforcementOf(plan.spec, { limit: 'kubernetes', limitedValue: minor }, NOW_MS);
    const expected = isBeyond && enforcement !== 'Ignore' ? { isRefused: enforcement === 'Refuse' } : undefined;

    const limit = versionLimit(plan.spec, minor, NOW_MS);
    expect(limit && { isRefused: limit.isRefused }).toEqual(expected);
  });

  test.each(FEATURE_NAMES)('have the same effect on feature %s as in the API', (feature) => {
    const limitNotes = notes.map((each) => ({ ...each, limit: 'allowed.features' as const }));
    const plan = aPlan({ allowed: { features: ['OIDC'] }, limitNotes });
    const { enforcement } = enforcementOf(plan.spec, { limit: 'allowed.features', limitedValue: feature }, NOW_MS);
    const isExceeded = !isFeatureAllowed(plan.spec, feature) && enforcement !== 'Ignore';

    const limit = featureLimit(plan.spec, feature, NOW_MS);
    expect(limit && { isRefused: limit.isRefused }).toEqual(
      isExceeded ? { isRefused: enforcement === 'Refuse' } : undefined,
    );
  });
});

test('an unknown plan has no limits', () => {
  expect(versionLimit(undefined, '1.36', NOW_MS)).toBeUndefined();
  expect(featureLimit(undefined, 'Hibernation', NOW_MS)).toBeUndefined();
});

describe('limits for users', () => {
  const rowsOf = (spec: Parameters<typeof aPlan>[0]) => limitRows(aPlan(spec).spec, NOW_MS);

  test('a plan without limits has none', () => {
    expect(rowsOf({})).toEqual([]);
  });

  test('versions and excluded features have a row even without a note', () => {
    expect(
      rowsOf({
        kubernetes: { newest: '1.35' },
        allowed: {
          features: [
            'OIDC',
            'Reset',
            'FloatingIPs',
            'ClusterAudit',
            'Shares',
            'VolumeSnapshots',
            'Gateways',
            'Ingresses',
          ],
        },
      }),
    ).toMatchObject([
      { limit: 'kubernetes', value: '', isRefused: true, reason: undefined },
      { limit: 'allowed.features', value: 'Autoscaling' },
      { limit: 'allowed.features', value: 'ExternalAutoscaler' },
      { limit: 'allowed.features', value: 'Hibernation' },
      { limit: 'allowed.features', value: 'KeystoneUsers' },
    ]);
  });

  test('notes appear once, with reason, alternative and link', () => {
    const features = FEATURE_NAMES.filter((name) => name !== 'Hibernation' && name !== 'Autoscaling');
    const rows = rowsOf({
      kubernetes: { newest: '1.35' },
      allowed: { features },
      limitNotes: [
        note({ reason: 'untested', alternative: 'use 1.35', link: 'https://example.org/a' }),
        note({ limit: 'allowed.features', reason: 'not part of the plan' }),
        note({ limit: 'allowed.features', value: 'Autoscaling', enforcement: 'Warn' }),
      ],
    });

    expect(rows).toMatchObject([
      { value: 'Hibernation', reason: 'not part of the plan', isRefused: true },
      { limit: 'kubernetes', reason: 'untested', alternative: 'use 1.35', link: 'https://example.org/a' },
      { value: 'Autoscaling', isRefused: false, reason: undefined },
    ]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test('limits in clusters list their values, with or without a note', () => {
    expect(
      rowsOf({
        services: { ipFamilies: ['IPv4'], refusedAnnotations: [{ key: 'example.org/*' }] },
        storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' },
        limitNotes: [
          note({ limit: 'storage.accessModes', alternative: 'use one node' }),
          note({ limit: 'services.ipFamilies', value: 'DualStack', enforcement: 'Warn' }),
        ],
      }),
    ).toMatchObject([
      { limit: 'services.ipFamilies', value: '', allowed: ['IPv4'], isRefused: true },
      { limit: 'services.refusedAnnotations', excluded: ['example.org/*'] },
      { limit: 'storage.tenantClasses', excluded: [] },
      { limit: 'storage.accessModes', allowed: ['ReadWriteOnce'], alternative: 'use one node' },
      { limit: 'services.ipFamilies', value: 'DualStack', isRefused: false },
    ]);
  });

  test('announced limits show their first day, and limits that have ended are left out', () => {
    expect(
      rowsOf({
        limitNotes: [
          note({ limit: 'cni.allowed', since: '2026-12-01', until: '2027-01-01' }),
          note({ limit: 'kubeProxy.allowed', since: '2026-11-01' }),
          note({ limit: 'storage.accessModes', until: '2026-11-30' }),
        ],
      }),
    ).toMatchObject([
      { limit: 'cni.allowed', isRefused: false, since: '2026-12-01', until: '2027-01-01' },
      { limit: 'kubeProxy.allowed', isRefused: true, since: undefined },
    ]);
  });
});

test.each([
  { link: 'https://example.org/limits', safe: 'https://example.org/limits' },
  { link: 'http://example.org', safe: undefined },
  { link: 'javascript:alert(1)', safe: undefined },
  { link: ' javascript:alert(1)//https://', safe: undefined },
  { link: '/console/', safe: undefined },
  { link: undefined, safe: undefined },
])('$link becomes the link $safe', ({ link, safe }) => {
  expect(safeLink(link)).toBe(safe);
});
