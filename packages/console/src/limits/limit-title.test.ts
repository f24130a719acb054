import { describe, expect, test } from 'vitest';
import { fill } from '../text/texts.ts';
import type { Translate } from '../text/use-text.ts';
import { limitTitle } from './limit-title.ts';
import { limitTexts } from './texts.ts';

const t: Translate<(typeof limitTexts)['en']> = (key, values = {}) => fill(limitTexts.en[key] ?? key, values, 'en-GB');

describe('titles of limits', () => {
  test.each([
    { limit: 'kubernetes', value: '', kubernetes: { newest: '1.35' }, title: 'Kubernetes up to 1.35' },
    { limit: 'kubernetes', value: '', kubernetes: { oldest: '1.34' }, title: 'Kubernetes from 1.34 on' },
    {
      limit: 'kubernetes',
      value: '',
      kubernetes: { oldest: '1.34', newest: '1.35' },
      title: 'Kubernetes 1.34 to 1.35',
    },
    { limit: 'kubernetes', value: '1.36', kubernetes: { newest: '1.35' }, title: 'Kubernetes versions: 1.36' },
    { limit: 'kubernetes', value: '', title: 'Kubernetes versions', reason: 'a note without a limit' },
    { limit: 'allowed.features', value: 'Hibernation', title: 'No hibernation' },
    { limit: 'allowed.features', value: 'New', title: 'Features: New', reason: 'unknown here' },
    { limit: 'cni.allowed', value: 'cilium', title: 'Pod networks: cilium' },
    {
      limit: 'storage.accessModes',
      value: '',
      allowed: ['ReadWriteOnce', 'ReadWriteOncePod'],
      title: 'Access modes of volumes: only ReadWriteOnce, ReadWriteOncePod',
    },
    {
      limit: 'services.refusedAnnotations',
      value: '',
      excluded: ['example.org/*'],
      title: 'Annotations of Services: not example.org/*',
    },
    { limit: 'storage.tenantClasses', value: '', excluded: [], title: 'Your own storage classes: none' },
    { limit: 'allowed.unsafeSysctls', value: '', title: 'allowed.unsafeSysctls', reason: 'without a text' },
  ] as const)('$limit $value is “$title”', ({ title, ...row }) => {
    expect(limitTitle(row, 'kubernetes' in row ? { kubernetes: row.kubernetes } : {}, t)).toBe(title);
  });
});
