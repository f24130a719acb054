import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { useRelativeTime } from '../text/relative-time.tsx';
import { useLocale } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import { partTexts } from './texts.ts';
import { type PoolSize, type ResourceUsage, usageOf } from './usage.ts';

/** The resources of pools, and what remains of the project's quotas. */
export function UsageTable({
  pools,
  profile,
}: {
  readonly pools: readonly PoolSize[];
  readonly profile: CloudProfileStatus | undefined;
}) {
  const t = useText(partTexts);
  const quotaTime = useRelativeTime(profile?.quotasTime, 'past');
  const usages = usageOf(pools, profile ?? {});
  return (
    <>
      <dl className="fw-use">
        {usages.map((resourceUsage) => (
          <UsageRow key={resourceUsage.what} resourceUsage={resourceUsage} />
        ))}
      </dl>
      <p className="fw-quiet">
        {profile?.quotas === undefined ? t('use.loading') : quotaTime !== '' && t('use.asOf', { when: quotaTime })}
      </p>
    </>
  );
}

function UsageRow({ resourceUsage: { what, needed, left, limit } }: { readonly resourceUsage: ResourceUsage }) {
  const t = useText(partTexts);
  const locale = useLocale();
  const amount = (count: number): string | number =>
    what === 'memoryMiB' ? t('use.gib', { amount: Math.round(count / 1024) }) : count;
  const exceedsQuota = left !== undefined && needed > left;
  return (
    <div>
      <dt>{t(`use.${what}`)}</dt>
      <dd>
        <strong>{amount(needed).toLocaleString(locale)}</strong>
        {left !== undefined && limit !== undefined && (
          <span className={exceedsQuota ? 'fw-use-short' : 'fw-quiet'}>
            {exceedsQuota
              ? t('use.short', { left: amount(left) })
              : t('use.left', { left: amount(left - needed), limit: amount(limit) })}
          </span>
        )}
      </dd>
    </div>
  );
}
