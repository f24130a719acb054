import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { useLanguage } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import { partTexts } from './texts.ts';
import { type PoolSize, type Use, useOf } from './usage.ts';

/** What pools take, and what the project's quotas have left afterwards. */
export function UseTable({
  pools,
  profile,
}: {
  readonly pools: readonly PoolSize[];
  readonly profile: CloudProfileStatus | undefined;
}) {
  const say = useText(partTexts);
  const uses = useOf(pools, profile ?? {});
  return (
    <>
      <dl className="fw-use">
        {uses.map((use) => (
          <UseRow key={use.what} use={use} />
        ))}
      </dl>
      {profile?.quotas === undefined && <p className="fw-quiet">{say('use.loading')}</p>}
    </>
  );
}

function UseRow({ use: { what, needed, left, limit } }: { readonly use: Use }) {
  const say = useText(partTexts);
  const language = useLanguage();
  const amount = (count: number): string | number =>
    what === 'memoryMiB' ? say('use.gib', { amount: Math.round(count / 1024) }) : count;
  const isShort = left !== undefined && needed > left;
  return (
    <div>
      <dt>{say(`use.${what}`)}</dt>
      <dd>
        <strong>{amount(needed).toLocaleString(language)}</strong>
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
