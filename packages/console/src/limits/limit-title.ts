import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { Translate } from '../text/use-text.ts';
import type { LimitRow } from './plan-limits.ts';
import { limitTexts } from './texts.ts';

type LimitKey = keyof (typeof limitTexts)['en'];

/** What a limit is about. A limit or feature without a text of its own is named as in the Plan. */
export function limitTitle(
  { limit, value, allowed, excluded }: Pick<LimitRow, 'limit' | 'value' | 'allowed' | 'excluded'>,
  { kubernetes }: Pick<PlanSpec, 'kubernetes'>,
  t: Translate<(typeof limitTexts)['en']>,
): string {
  const { oldest = '', newest = '' } = kubernetes ?? {};
  if (limit === 'kubernetes' && value === '' && (oldest !== '' || newest !== '')) {
    const form = oldest === '' ? 'newest' : newest === '' ? 'oldest' : 'window';
    return t(`versions.${form}`, { oldest, newest });
  }
  const feature = `feature.${value}`;
  if (limit === 'allowed.features' && isKey(feature)) return t(feature);
  const key = `limit.${limit}`;
  const name = isKey(key) ? t(key) : limit;
  if (allowed !== undefined) return t('only', { name, values: allowed.join(', ') });
  if (excluded !== undefined)
    return excluded.length === 0 ? t('none', { name }) : t('not', { name, values: excluded.join(', ') });
  return value === '' ? name : `${name}: ${value}`;
}

function isKey(key: string): key is LimitKey {
  return Object.hasOwn(limitTexts.en, key);
}
