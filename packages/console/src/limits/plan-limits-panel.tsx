import type { PlanSpec } from '@fairway/api/kinds/plan';
import { useNow } from '../text/relative-time.tsx';
import { useLocale } from '../text/settings.ts';
import { day } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { LimitLink, OperatorText } from './limit-note.tsx';
import { limitTitle } from './limit-title.ts';
import { limitRows } from './plan-limits.ts';
import { limitTexts } from './texts.ts';

interface PlanLimitsPanelProps {
  readonly plan: PlanSpec;
  /** Whether it is a panel of a page, instead of a part of a form. */
  readonly isOwnPanel?: boolean;
}

/** The plan's limits with the operator's reasons, alternatives and links; nothing for a plan without limits. */
export function PlanLimitsPanel({ plan, isOwnPanel = false }: PlanLimitsPanelProps) {
  const t = useText(limitTexts);
  const locale = useLocale();
  const rows = limitRows(plan, useNow());
  if (rows.length === 0) return null;
  const Heading = isOwnPanel ? 'h2' : 'h3';
  const date = (iso: string) => day(iso, locale, 'UTC');
  return (
    <section className={isOwnPanel ? 'fw-panel' : undefined} aria-labelledby="plan-limits">
      <Heading id="plan-limits">{t('title')}</Heading>
      <ul>
        {rows.map(({ key, limit, value, allowed, excluded, isRefused, since, until, reason, alternative, link }) => {
          const dates = [
            ...(isRefused || since !== undefined ? [] : [t('warns')]),
            ...(since === undefined ? [] : [t('since', { day: date(since) })]),
            ...(until === undefined ? [] : [t('until', { day: date(until) })]),
          ];
          return (
            <li key={key}>
              <strong>{limitTitle({ limit, value, allowed, excluded }, plan, t)}</strong>
              {dates.length > 0 && ` (${dates.join(', ')})`} <OperatorText text={reason} />{' '}
              <OperatorText text={alternative} /> <LimitLink link={link} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
