import { useLocale } from '../../text/settings.ts';

export interface ShareBarProps {
  readonly label: string;
  readonly used: number;
  /** Undefined: unlimited. */
  readonly limit: number | undefined;
  readonly unit?: string;
}

const NEARLY_FULL_SHARE = 0.9;

/** Usage and limit, as numbers and as a bar. */
export function ShareBar({ label, used, limit, unit = '' }: ShareBarProps) {
  const locale = useLocale();
  const of = limit === undefined ? '∞' : limit.toLocaleString(locale);
  const share = limit === undefined || limit === 0 ? 0 : Math.min(used / limit, 1);
  const isFull = limit !== undefined && used >= limit * NEARLY_FULL_SHARE && used > 0;
  return (
    <div className="fw-op-share" title={`${label}: ${used.toLocaleString(locale)} / ${of} ${unit}`}>
      <span className={isFull ? 'fw-op-share-full' : undefined}>
        {used.toLocaleString(locale)} / {of} {unit}
      </span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="fw-op-share-track" width="100" height="4" rx="2" />
        <rect className={isFull ? 'fw-op-share-high' : 'fw-op-share-used'} width={share * 100} height="4" rx="2" />
      </svg>
    </div>
  );
}
