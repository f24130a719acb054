import { useText } from '../text/use-text.ts';
import { diffTexts } from './diff-texts.ts';
import type { DiffLine } from './line-diff.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

/** Added and removed lines, by sign and colour, and by word for screen readers. */
export function Diff({ lines }: { readonly lines: readonly (DiffLine | undefined)[] }) {
  const t = useText(diffTexts);
  return (
    <div className="fw-diff" role="region" aria-label={t('title')} tabIndex={0}>
      {lines.map((line, index) =>
        line === undefined ? (
          <div key={`gap ${index}`} className="fw-diff-gap">
            ⋯ <span className="fw-visually-hidden">{t('more')}</span>
          </div>
        ) : (
          <div key={`${index} ${line.text}`} className={`fw-diff-${line.kind}`}>
            <span aria-hidden="true">{SIGNS[line.kind]}</span>
            {line.kind !== 'same' && <span className="fw-visually-hidden">{t(line.kind)}: </span>}
            {line.text}
          </div>
        ),
      )}
    </div>
  );
}
