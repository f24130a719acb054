import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { useLocale } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import { useRelativeTime } from '../text/when.tsx';
import { partTexts } from './texts.ts';
import { type PoolSize, type Use, useOf } from './usage.ts';

/** The resources of pools, and what remains of the project's quotas. */
export function UseTable({
  pools,
  profile,
}: {
  readonly pools: readonly PoolSize[];
  readonly profile: CloudProfileStatus | undefined;
}) {
  const say = useText(partTexts);
  const asOf = useRelativeTime(profile?.quotasTime, 'past');
  const uses = useOf(pools, profile ?? {});
  return (
    <>
      <dl className="fw-use">
        {uses.map((use) => (
          <UseRow key={use.what} use={use} />
        ))}
      </dl>
      <p className="fw-quiet">
        {profile?.quotas === undefined ? say('use.loading') : asOf !== '' && say('use.asOf', { when: asOf })}
      </p>
    </>
  );
}

function UseRow({ use: { what, needed, left, limit } }: { readonly use: Use }) {
  const say = useText(partTexts);
  const locale = useLocale();
  const amount = (count: number): string | number =>
    what === 'memoryMiB' ? say('use.gib', { amount: Math.round(count / 1024) }) : count;
  const isShort = left !== undefined && needed > left;
  return (
    <div>
      <dt>{say(`use.${what}`)}</dt>
      <dd>
        <strong>{amount(needed).toLocaleString(locale)}</strong>
        {left !== undefined && limit !== undefined && (
          <span className={isShort ? 'fw-use-short' : 'fw-quiet'}>
            {isShort
              ? say('use.short', { left: amount(left) })
              : say('use.left', { left: amount(left - needed), limit: amount(limit) })}
          </span>
        )}
      </dd>
    </div>
  );
}
