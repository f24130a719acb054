import { plain } from '../text/plain.ts';
import { useText } from '../text/use-text.ts';
import { type ExceededLimit, safeLink } from './plan-limits.ts';
import { limitTexts } from './texts.ts';

/** The operator's own sentences, in whatever language they are written. */
export function OperatorText({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return (
    <span dir="auto" className="fw-words">
      {plain(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)}
    </span>
  );
}

/** A link of the operator to a page about a limit. */
export function LimitLink({ link }: { readonly link: string | undefined }) {
  const t = useText(limitTexts);
  const href = safeLink(link);
  if (href === undefined) return null;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {t('more')}
    </a>
  );
}

/** Why a choice is not offered, or will lead to a warning. Without a link, since it is part of a label. */
export function ExcludedNote({ limit: { isRefused, note } }: { readonly limit: ExceededLimit }) {
  const t = useText(limitTexts);
  return (
    <>
      {t(isRefused ? 'excluded' : 'discouraged')} <OperatorText text={note?.reason} />{' '}
      <OperatorText text={note?.alternative} />
    </>
  );
}
